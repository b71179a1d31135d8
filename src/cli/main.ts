#!/usr/bin/env node
// Before anything else is loaded, so that stack traces name lines of the sources.
process.setSourceMapsEnabled(true)

const [{ runningCommand }, { createProgram }] = await Promise.all([import('./errors.ts'), import('./program.ts')])
await runningCommand(() => createProgram().parseAsync())
