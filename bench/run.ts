const parts: Record<string, () => Promise<{ bench(): Promise<void> }>> = {
  approvals: () => import('./approvals.ts'),
  console: () => import('./console.ts'),
  gateway: () => import('./gateway.ts'),
  hooks: () => import('./hooks.ts'),
  history: () => import('./history/history.ts'),
  memory: () => import('./memory/memory.ts'),
  instances: () => import('./instances.ts'),
  nest: () => import('./nest.ts'),
  hub: () => import('./hub.ts'),
  replay: () => import('./replay.ts'),
  pages: () => import('./pages.ts'),
  server: () => import('./server.ts'),
  start: () => import('./start.ts'),
  stores: () => import('./stores.ts'),
}

const [name = ''] = process.argv.slice(2)
const load = parts[name]
if (load === undefined) {
  console.error(`Usage: npm run bench -- <${Object.keys(parts).join(' | ')}>`)
  process.exit(2)
}
await (await load()).bench()
