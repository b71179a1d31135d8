import { createRequire } from 'node:module'
import { startApp } from './start-app.ts'

const [port = '', nest = ''] = process.argv.slice(2)
const { url, elicitation } = await startApp(port)
const { version } = createRequire(nest)('@nestjs/core/package.json')
process.send?.({ url: url.href, enrollLink: await elicitation.enrollLink(), version })
// Whoever started us is gone.
process.on('disconnect', () => process.exit())
