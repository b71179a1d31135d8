import type { AskingSettings } from '../asking/context.ts'
import type { Assent } from '../assent.ts'
import { createAssent } from '../assent.ts'
import { askingSettings } from '../server/assent-server.ts'
import { createWeb, type Web } from '../web/web.ts'
import { assentOptions, type ElicitationModuleOptions } from './options.ts'
import { type People, userOfRequest } from './sender.ts'

/** What one application's module has made. */
export interface Runtime {
  readonly assent: Assent
  readonly web: Web
  readonly people: People
  /** Who may approve where a decorator names nobody; undefined: the requester. */
  readonly approvers: readonly string[] | undefined
  /** The settings of a server with this name. */
  settingsFor(name: string): AskingSettings
}

/** How the application tells what happens, in words for its log. */
interface ModuleLog {
  warn(message: string): void
  error(message: string): void
}

/** Opens the store and makes the pages. */
export async function openRuntime(options: ElicitationModuleOptions, log: ModuleLog): Promise<Runtime> {
  const assent = await createAssent(assentOptions(options, (message) => log.warn(message)))
  try {
    const people = peopleOf(options)
    const web = createWeb(assent, {
      ...options.web,
      ...(options.customPages !== undefined && { pages: options.customPages }),
      isHosted: people.hasUsers && options.auth === undefined && options.web?.proxy === undefined,
      onError:
        options.web?.onError ?? ((error) => log.error(error instanceof Error ? (error.stack ?? '') : `${error}`)),
    })
    return {
      assent,
      web,
      people,
      approvers: options.approvers,
      settingsFor: (name) => askingSettings(assent, { ...serverPart(options), name }),
    }
  } catch (error) {
    await assent.close()
    throw error
  }
}

/** Requests name users where guards or `user` say who they are, or a login does; otherwise there is one local person. */
function peopleOf({ user, guards = [], auth, issuer, serverUrl, web }: ElicitationModuleOptions): People {
  const namesUsers = user !== false && (user !== undefined || guards.length > 0)
  return {
    hasUsers: namesUsers || auth !== undefined || web?.proxy !== undefined,
    issuer: issuer ?? auth?.issuer ?? new URL(serverUrl).origin,
    userOf: user === false ? () => undefined : (user ?? userOfRequest),
  }
}

function serverPart({ urlBy, assumeUrl, quirks, unseenWithin }: ElicitationModuleOptions) {
  return {
    ...(urlBy !== undefined && { urlBy }),
    ...(assumeUrl !== undefined && { assumeUrl }),
    ...(quirks !== undefined && { quirks }),
    ...(unseenWithin !== undefined && { unseenWithin }),
  }
}
