import { defineConfig } from 'vitest/config'

// Set by `npm test` without arguments. Some of the tests cover only some of the code.
const isFullRun = process.env.ASSENT_TEST_RUN === 'full'
const coveredRooms = ['elicitation', 'audit', 'approval', 'call', 'connection', 'passkey']
// Not 100: in full runs, V8's merged coverage loses single branches that tests do reach, such as one in call/walk.ts.
const nearlyAll = { statements: 99, branches: 98, functions: 99, lines: 99 }
// It has 38 branches, so that one of them is 2.6 %.
const call = { ...nearlyAll, branches: 94 }
// What fails halfway between instances is reached by kills more often than by design.
const hub = { statements: 92, branches: 86, functions: 95, lines: 95 }

// The leash on which `npm test` holds this process must not keep it from ending.
process.channel?.unref()

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/compile-programs.ts',
    // These end what hangs. No test may fail because the machine is slow, and a hook may build the package.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // A worker keeps what it has loaded from file to file: loading it anew for each file took a third of all the time.
    isolate: false,
    pool: 'forks',
    maxWorkers: 2,
    execArgv: ['--import', new URL('scripts/leash.js', import.meta.url).href],
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      reporter: [['text', { skipFull: true }]],
      ...(isFullRun && {
        thresholds: {
          ...Object.fromEntries(coveredRooms.map((room) => [`src/${room}/**`, nearlyAll])),
          'src/call/**': call,
          'src/hub/**': hub,
        },
      }),
    },
  },
})
