import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { oldTools } from './old-tools.js'

process.stderr.write('the old one starts\n')
await oldTools().connect(new StdioServerTransport())
