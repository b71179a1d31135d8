import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { rawCall } from '../support/asking/asking-raw.ts'
import { testKeys } from '../support/assents.ts'
import { buildPackage } from '../support/build.ts'
import { freePort } from '../support/free-port.ts'
import { startIssuer } from '../support/oauth/issuer.ts'
import { freshDatabase } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { anUpstream } from '../support/walks/killing.ts'

const run = promisify(execFile)
const text = (path: string) => readFile(path, 'utf8')

/** The image as a folder: its paths are below `root`. Made by the steps of the Dockerfile that need no engine. */
interface Image {
  readonly root: string
  readonly entrypoint: readonly string[]
  readonly health: readonly string[]
  readonly workdir: string
}

const nobody = 65_534
const asNobody = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

beforeAll(buildPackage)

describe('what the Dockerfile builds', () => {
  test('runs as another user in a tree that it cannot write, twice on one PostgreSQL; either instance serves a retry', async () => {
    const image = await buildImage()
    await expect(stat(join(image.root, 'opt/assent/node_modules/vitest'))).rejects.toThrow('ENOENT')
    const { issuer, mint } = await startIssuer()
    const database = await freshDatabase()
    onTestFinished(database.drop)
    const upstream = await anUpstream('2026')
    const values = {
      ASSENT_STORE: database.url,
      ASSENT_KEYS: testKeys,
      ASSENT_PUBLIC_URL: 'https://assent.test',
      ASSENT_ISSUER: issuer,
      ASSENT_AUDIENCE: 'https://assent.test/mcp',
      ASSENT_CLIENT_ID: 'pages',
      ASSENT_CLIENT_SECRET: 'a secret of the tests',
      ASSENT_UPSTREAM: upstream.url.href,
      ASSENT_BALANCER: '127.0.0.1',
    }
    const { services } = parse(await text('compose.yaml'), { merge: true })
    expect(Object.keys(services['assent-1'].environment).sort()).toEqual(Object.keys(values).sort())
    const [one, two] = await Promise.all([start(image, values), start(image, values)])

    for (const { health, operation } of [one, two]) {
      expect(await health()).toBe(0)
      expect((await fetch(`${operation}/readyz`)).status).toBe(200)
    }
    const call = { name: 'notes__work', arguments: { id: 'note' }, token: await mint() }
    const asked = await rawCall(one.url, call)
    const answers = Object.keys(asked.result?.inputRequests ?? {}).map((key) => [
      key,
      { action: 'accept', content: { choice: 'allow_once' } },
    ])
    expect(answers).toHaveLength(1)
    const retry = {
      ...call,
      requestState: asked.result?.requestState,
      inputResponses: Object.fromEntries(answers),
    }
    expect((await rawCall(two.url, retry)).result?.content?.[0]?.text).toBe('did note')

    expect(await one.stop()).toBe(0)
    expect(await one.health()).toBe(1)
    expect(await two.health()).toBe(0)
  })

  test('keeps what must stay on this machine out of the image', async () => {
    const ignored = (await text('.dockerignore')).split('\n')
    for (const path of ['.git', 'node_modules', '**/.assent', '**/*.db', '**/.env*']) expect(ignored).toContain(path)
  })
})

describe('compose.yaml and deploy/kubernetes.yaml', () => {
  test('give every variable that the settings need', async () => {
    const needed = namesIn(await text('deploy/assent.yaml'))
    const compose = parse(await text('compose.yaml'), { merge: true })
    expect(needed.filter((name) => !(name in compose.services['assent-2'].environment))).toEqual([])

    const explained = (await text('deploy/example.env')).split('\n').map((line) => line.split('=')[0])
    const asked = [...(await text('compose.yaml')).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)
    expect(asked.filter((name) => !explained.includes(name))).toEqual([])
    const { settings } = await kubernetes()
    expect(namesIn(settings).filter((name) => name !== 'ASSENT_STORE' && !explained.includes(name))).toEqual([])
  })

  test('check the health at paths and ports that the settings serve', async () => {
    const { container, settings, budget, deployment } = await kubernetes()
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    )
    const served = parse(settings)
    expect(served.listen).toBe(`0.0.0.0:${ports.http}`)
    expect(served.metrics.listen).toBe(`0.0.0.0:${ports.operation}`)
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(container[probe].httpGet.port).toBe('operation')
    }
    expect(container.livenessProbe.httpGet.path).toBe('/healthz')
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas)
  })

  test('have the same servers, login and policy', async () => {
    const { servers, auth, policy, publicUrl, store } = parse(await text('deploy/assent.yaml'))
    expect(parse((await kubernetes()).settings)).toMatchObject({ servers, auth, policy, publicUrl, store })
  })
})

async function kubernetes() {
  const documents = parseAllDocuments(await text('deploy/kubernetes.yaml')).map((document) => document.toJS())
  const [config, deployment, budget] = ['ConfigMap', 'Deployment', 'PodDisruptionBudget'].map((kind) =>
    documents.find((document) => document.kind === kind),
  )
  const [container] = deployment.spec.template.spec.containers
  return { settings: config.data['assent.yaml'] as string, deployment, budget, container }
}

/** Variables without a default. */
function namesIn(settings: string): string[] {
  return [...settings.matchAll(/\$\{env:(\w+)\}/g)].map(([, name]) => name ?? '')
}

/** Runs the steps of the Dockerfile in an empty folder, but for those that fetch and build this checkout. */
async function buildImage(): Promise<Image> {
  const root = await temporaryFolder()
  await chmod(root, 0o755)
  const inImage = (path: string) => path.replace(/(?<![\w.])\/(?=(package|src|opt|etc|tmp)\b)/g, `${root}/`)
  const steps = (await text('Dockerfile')).replaceAll('\\\n', ' ').split('\n')
  const rest = (word: string) =>
    steps.filter((step) => step.startsWith(`${word} `)).map((step) => step.slice(word.length + 1))
  const list = (step = '') => JSON.parse(step.slice(step.indexOf('['))).map(inImage) as string[]

  const done = ['npm ci --no-audit --no-fund', 'npm run build']
  for (const step of steps) {
    const [word, ...args] = step.split(' ')
    if (word === 'RUN' && !done.includes(args.join(' '))) {
      await run('sh', ['-c', inImage(args.join(' '))], { env: { ...process.env, npm_config_prefer_offline: 'true' } })
    }
    if (word === 'COPY' && args.join(' ') !== '. .') {
      const [from = '', to = ''] = args.filter((arg) => !arg.startsWith('--'))
      const source = from.startsWith('/src/') ? from.slice('/src/'.length) : inImage(from)
      await mkdir(join(inImage(to), '..'), { recursive: true })
      if (source !== inImage(to)) await copyFile(source, inImage(to))
    }
  }
  const workdir = join(root, 'empty')
  await mkdir(workdir, { mode: 0o555 })
  return {
    root,
    workdir,
    entrypoint: [...list(rest('ENTRYPOINT')[0]), ...list(rest('CMD')[0])],
    health: list(rest('HEALTHCHECK')[0]),
  }
}

/** The container's own command, its own health check, and its own environment. */
async function start({ entrypoint, health, workdir }: Image, values: Record<string, string>) {
  const [port, operationPort] = [await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    ...values,
    ASSENT_LISTEN: `127.0.0.1:${port}`,
    ASSENT_OPERATION_LISTEN: `127.0.0.1:${operationPort}`,
  }
  const operation = `http://127.0.0.1:${operationPort}`
  const [program = '', ...args] = entrypoint
  const child = spawn(program, args, { env, cwd: workdir, ...asNobody })
  onTestFinished(() => void child.kill('SIGKILL'))
  await ready(child, operation)
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    operation,
    async health() {
      const [checker = '', ...checked] = health.map((part) => part.replace('http://127.0.0.1:9464', operation))
      const check = spawn(checker, checked, { env: { PATH: env.PATH }, cwd: workdir, ...asNobody })
      return (await once(check, 'exit'))[0]
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      return (await gone)[0]
    },
  }
}

async function ready(child: ChildProcess, operation: string): Promise<void> {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk))
  await expect
    .poll(async () => {
      if (child.exitCode !== null) throw new Error(`It ended before it was ready: ${said}`)
      return (await fetch(`${operation}/healthz`).catch(() => undefined))?.status
    })
    .toBe(200)
}
