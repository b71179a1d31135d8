import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'

const participants = 100
const rounds = 100
const inFlight = 4

/** CPU of the hub for each delivered envelope, beside that of a bare relay that parses JSON; both in this run. */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-hub-'))
  try {
    const relay = await measure('relay', folder)
    const hub = await measure('hub', folder)
    for (const [name, { cpuUs, p50, p99 }] of Object.entries({ relay, hub })) {
      console.log(`${name}: ${cpuUs.toFixed(1)} µs CPU an envelope, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    }
    console.log(`hub / relay: ${(hub.cpuUs / relay.cpuUs).toFixed(2)} (target: at most 2)`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Measured {
  readonly cpuUs: number
  readonly p50: number
  readonly p99: number
}

async function measure(kind: 'hub' | 'relay', folder: string): Promise<Measured> {
  const program = new URL('hub-process.ts', import.meta.url).pathname
  const child = fork(program, [kind, String(participants), join(folder, 'hub.db')], { execArgv: ['--import', 'tsx'] })
  try {
    const { port } = await said<{ port: number }>(child)
    const sockets = await Promise.all(Array.from({ length: participants }, (_, index) => joinAs(port, index)))
    await run(sockets, 20, 'warm')
    const before = await cpuOf(child)
    const times = await run(sockets, rounds, 'run')
    const used = (await cpuOf(child)) - before
    for (const socket of sockets) socket.terminate()
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor(times.length * share)] as number
    return { cpuUs: used / times.length, p50: at(0.5), p99: at(0.99) }
  } finally {
    child.kill()
  }
}

/** Each participant sends to the next one, with some envelopes under way at once. Returns how long each took. */
async function run(sockets: readonly WebSocket[], each: number, name: string): Promise<number[]> {
  const times: number[] = []
  const sentAt = new Map<string, number>()
  await Promise.all(
    sockets.map(
      (socket, index) =>
        new Promise<void>((resolve) => {
          const next = sockets[(index + 1) % sockets.length] as WebSocket
          let [sent, heard] = [0, 0]
          const send = () => {
            const id = `${name}-${index}-${sent}`
            sent += 1
            sentAt.set(id, performance.now())
            socket.send(envelope(id, index))
          }
          const hear = (data: Buffer) => {
            const { id, kind } = JSON.parse(data.toString()) as { id: string; kind: string }
            const at = sentAt.get(id)
            if (kind !== 'mcp' || at === undefined) return
            times.push(performance.now() - at)
            heard += 1
            if (sent < each) send()
            if (heard < each) return
            next.off('message', hear)
            resolve()
          }
          next.on('message', hear)
          for (let n = 0; n < inFlight; n += 1) send()
        }),
    ),
  )
  return times
}

function envelope(id: string, index: number): string {
  return JSON.stringify({
    protocol: 'mcp-x/v0',
    id,
    ts: new Date().toISOString(),
    from: `p-${index}`,
    to: [`p-${(index + 1) % participants}`],
    kind: 'mcp',
    payload: { jsonrpc: '2.0', method: 'notifications/note', params: { text: 'x'.repeat(400) } },
  })
}

async function joinAs(port: number, index: number): Promise<WebSocket> {
  const headers = { Authorization: `Bearer token-${index}` }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/hub/ops`, { headers, perMessageDeflate: false })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return socket
}

function said<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once('message', (message) => resolve(message as T)))
}

async function cpuOf(child: ChildProcess): Promise<number> {
  const answer = said<{ cpu: { user: number; system: number } }>(child)
  child.send('cpu')
  const { cpu } = await answer
  return cpu.user + cpu.system
}
