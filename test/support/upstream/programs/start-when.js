import { existsSync } from 'node:fs'

// Says nothing until the file is there, like a program that is still being downloaded.
while (!existsSync(process.argv[2])) await new Promise((resolve) => setTimeout(resolve, 20))
await import('./old-stdio.js')
