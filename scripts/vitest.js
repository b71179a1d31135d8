import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.js'

/**
 * Runs vitest, and counts.
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @returns {Promise<{ ok: boolean, count: string }>}
 */
export async function runTests(args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'assent-tests-'))
  const report = join(folder, 'report.json')
  const leash = ['--import', new URL('leash.js', import.meta.url).href]
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  // Two runs in one checkout would delete each other's.
  const coverage = `--coverage.reportsDirectory=${join(folder, 'coverage')}`
  const command = [...leash, 'node_modules/vitest/vitest.mjs', 'run', ...reporters, coverage, ...args]
  try {
    const { ok } = await run(process.execPath, command, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...env },
    })
    return existsSync(report)
      ? { ok, count: countTests(JSON.parse(readFileSync(report, 'utf8'))) }
      : { ok: false, count: 'The tests did not come to their end.' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * `N passed, N failed`: CI reads this line.
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   testResults: { status: string, assertionResults: { status: string }[] }[] }} report
 */
function countTests(report) {
  // A file that breaks before its first test has no failed test to count.
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((assertion) => assertion.status !== 'failed'),
  )
  const failed = report.numFailedTests + brokenFiles.length
  const skipped = report.numPendingTests + report.numTodoTests
  return `${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
