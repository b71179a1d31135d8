import { createServer } from 'node:http'
import { createAssent } from '../../src/assent.ts'
import { createHub } from '../../src/hub/hub.ts'
import { createPost } from '../../src/instance/post.ts'
import { localParticipant } from '../../src/participant/participant.ts'

/** A hub in a process of its own, which may be killed at any moment. */
const [, , store = '', port = '0', agents = '0'] = process.argv
const limits = { openPerRequester: 1_000, openPerParticipant: 1_000 }
const policy = { default: 'ask', fallback: 'inbox' } as const
const assent = await createAssent({ store, policy, limits })
const participants = Object.fromEntries(
  Array.from({ length: Number(agents) }, (_, index) => [
    `agent-${index}`,
    { kind: 'agent', token: `token-${index}`, for: 'user-1', may: ['*'] } as const,
  ]),
)
const user = { kind: 'human', token: 'token-of-user', participant: localParticipant } as const
const { vault, clock } = assent
const post = createPost({ store: assent.store, vault, clock, onError: (error) => process.emitWarning(String(error)) })
const spaces = { ops: { participants: { ...participants, 'user-1': user } } }
const hub = await createHub({ assent, spaces, post })
const server = createServer((_, response) => response.writeHead(404).end())
server.on('upgrade', (request, socket, head) => {
  if (!hub.upgrade(request, socket, head)) socket.destroy()
})
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'))
