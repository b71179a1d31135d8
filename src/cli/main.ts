#!/usr/bin/env node
import { nameSourcesInStacks } from './stack-traces.ts'

// Before anything else is loaded, which may fail.
nameSourcesInStacks()

const [{ runningCommand }, { createProgram }] = await Promise.all([import('./errors.ts'), import('./program.ts')])
await runningCommand(async () => (await createProgram(process.argv[2])).parseAsync())
