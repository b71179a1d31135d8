import type { WebSocket } from 'ws'

/** Close codes of WebSocket that the hub uses, each with words. */
export const closeCodes = { done: 1000, goingAway: 1001, refused: 1008, failed: 1011, later: 1013 } as const

/** One connection of a participant. */
export interface SpaceSocket {
  /** Sends a message. One that does not read is closed when too much waits for it. */
  send(message: string | Buffer): void
  /** Ends the connection. `words` are cut to what a close frame holds. */
  close(code: number, words: string): void
  readonly isOpen: boolean
}

export interface WatchedConnection {
  /** How much may wait for one that does not read. */
  readonly unreadBytes: number
  /** How often a sign of life is asked for. */
  readonly heartbeatMs: number
  /** Called with each message of text. */
  onMessage(data: Buffer): void
  /** Called once when it has ended, with the words that ended it. */
  onClose(words: string): void
}

/** Signs of life that one may ask for between two heartbeats. */
const mostPings = 1_000

/** How long a closed connection may take to say goodbye. */
const goodbyeMs = 2_000

/** Watches a WebSocket: what it sends, whether it reads, whether it is alive. */
export function watchConnection(socket: WebSocket, options: WatchedConnection): SpaceSocket {
  const { unreadBytes, heartbeatMs, onMessage, onClose } = options
  let words = 'The connection was lost.'
  let isClosing = false
  let isAlive = true
  let pings = 0

  const connection: SpaceSocket = {
    get isOpen() {
      return !isClosing && socket.readyState === socket.OPEN
    },
    send(message) {
      if (!connection.isOpen) return
      socket.send(message, { binary: false })
      if (socket.bufferedAmount > unreadBytes) {
        connection.close(closeCodes.refused, 'You do not read what you are sent. Join again and read faster.')
      }
    },
    close(code, why) {
      if (isClosing) return
      isClosing = true
      words = why
      socket.close(code, closeWords(why))
      setTimeout(() => socket.terminate(), goodbyeMs).unref()
    },
  }
  const beat = setInterval(() => {
    if (!isAlive) {
      words = 'No sign of life.'
      socket.terminate()
      return
    }
    isAlive = false
    pings = 0
    socket.ping()
  }, heartbeatMs)
  // Each is answered at once, and the answers wait for one that does not read.
  socket.on('ping', () => {
    pings += 1
    if (pings > mostPings) connection.close(closeCodes.refused, 'You ping too often.')
  })
  socket.on('pong', () => {
    isAlive = true
  })
  socket.on('message', (data: Buffer, isBinary) => {
    isAlive = true
    if (isClosing) return
    if (isBinary) connection.close(closeCodes.refused, 'Send text, not binary messages.')
    else onMessage(data)
  })
  // ws closes the connection by itself; a frame that breaks the protocol is the sender's affair.
  socket.on('error', (error) => {
    if (!isClosing) words = error.message
  })
  socket.on('close', () => {
    clearInterval(beat)
    isClosing = true
    onClose(words)
  })
  return connection
}

/** A close frame holds 123 bytes of words. */
function closeWords(text: string): string {
  return Buffer.from(text).subarray(0, 120).toString('utf8').replace(/�$/, '')
}
