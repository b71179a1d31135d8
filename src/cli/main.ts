#!/usr/bin/env node
import { runningCommand } from './errors.ts'
import { createProgram } from './program.ts'

await runningCommand(() => createProgram().parseAsync())
