import { config } from 'zod/v4/core'

// A command parses each kind of message a few times: compiling a parser for it would take longer.
config({ jitless: true })

/** What `assent call` needs of the SDK. From here, because a dynamic import of the package loads all of it. */
export { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
