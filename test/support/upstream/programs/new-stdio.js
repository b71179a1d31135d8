import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { newTools } from './new-tools.js'

serveStdio(() => newTools())
