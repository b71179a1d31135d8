import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { App, Place } from './apps/app.ts'
import { type Gateway, startGateway } from './assent.ts'
import type { Finding } from './findings.ts'
import { type HookFindings, hookSession } from './hooks.ts'
import type { Lab } from './lab.ts'
import type { Script } from './model/conversation.ts'
import { type Findings, firstSession, secondSession } from './story.ts'
import { type ScreenFindings, tryScreen } from './try-screen.ts'

/** All that was seen of a client. */
export interface Tried {
  readonly findings: Findings
  readonly screens: ScreenFindings | undefined
  readonly hooks: HookFindings | undefined
  /** What the client and the gateway printed. */
  readonly output: string
}

/** No session takes longer: the calls that are held, and what a person does in between. */
const sessionSeconds = 400

/** Tries a client with nobody at it, in two sessions with an answer in the inbox in between, then at its screen. */
export async function tryApp(app: App, lab: Lab, withScreen: boolean): Promise<Tried> {
  const gateway = await startGateway(lab.processes, lab.packages, lab.folder)
  const place = await makePlace(lab, gateway)
  if (app.kind === 'model') await app.configure(place)

  const findings: Findings = new Map()
  const outputs: string[] = []
  const play = (script: Script) => playScript(app, lab, place, script)
  const first = await play(firstSession(gateway, findings))
  findings.set('lists', first.listed)
  const [question] = await gateway.inbox()
  if (question !== undefined) await gateway.allow(question.id)
  const second = await play(secondSession(gateway, findings))
  outputs.push(first.output, second.output)

  const hooks = await tryHooks(app, lab, place, gateway, outputs)
  const canTryScreen = withScreen && app.kind === 'model'
  const screens = canTryScreen ? await tryScreen(app.screen, place, lab, gateway) : undefined
  return { findings, screens, hooks, output: [...outputs, gateway.log()].join('\n') }
}

/** The tools of the client's own, with `assent hook` before them. */
async function tryHooks(
  app: App,
  { processes, model }: Lab,
  place: Place,
  gateway: Gateway,
  outputs: string[],
): Promise<HookFindings | undefined> {
  if (app.kind !== 'model' || app.hooked === undefined) return undefined
  const findings: HookFindings = new Map()
  await app.hooked.configure(place, gateway.hook(app.hooked.name))
  const { prompt } = model.play(hookSession(gateway, app.hooked, findings))
  outputs.push((await processes.run(app.hooked.headless(place, prompt), sessionSeconds)).output)
  return findings
}

async function makePlace({ folder, model, packages }: Lab, gateway: Gateway): Promise<Place> {
  const place = { home: join(folder, 'home'), work: join(folder, 'work'), mcp: gateway.url, model: model.url, packages }
  await mkdir(place.home, { recursive: true })
  await mkdir(place.work, { recursive: true })
  return place
}

interface Played {
  readonly output: string
  readonly listed: Finding
}

/** Lets the client make the calls of a script: told by its model, or one command after the other. */
async function playScript(app: App, { processes, model }: Lab, place: Place, script: Script): Promise<Played> {
  if (app.kind === 'model') {
    const { prompt, offered } = model.play(script)
    const { output } = await processes.run(app.headless(place, prompt), sessionSeconds)
    return { output, listed: listed(offered) }
  }
  const { output: list } = await processes.run(app.list(place), sessionSeconds)
  const names = new Set([...list.matchAll(/"name": "(\w+__[\w-]+)"/g)].map(([, name = '']) => name))
  const outputs = [list]
  for (let step = await script.next(''); !step.done; step = await script.next(outputs.at(-1) ?? '')) {
    const { output } = await processes.run(app.call(place, step.value), sessionSeconds)
    outputs.push(output)
  }
  return { output: outputs.join('\n'), listed: listed(names) }
}

/** The tools that the model was offered, or found by the client's own search. */
function listed(offered: ReadonlySet<string>): Finding {
  const ours = [...offered].filter((name) => /(everything|files|memory)__/.test(name))
  const isSearched = ours.length < 20 && [...offered].some((name) => /tool_?search/i.test(name))
  return { ok: ours.length > 0, words: isSearched ? 'by its own search' : `${ours.length} tools` }
}
