import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * A program with these sees what minor collections free, and nothing else: V8 neither makes an object old at once
 * because others from the same line of code became old, nor collects old objects by itself.
 */
const onlyMinorCollections = ['--expose-gc', '--no-allocation-site-pretenuring', '--initial-old-space-size=1024']

/** Runs a program that lets only minor collections free memory, and gives back the number that it prints. */
export async function measuredWithMinorCollections(program: string, ...args: string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [...onlyMinorCollections, program, ...args])
  return Number(stdout)
}
