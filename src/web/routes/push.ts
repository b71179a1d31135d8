import { Hono } from 'hono'
import type { WebEnv } from '../site.ts'

/** Loaded where they are needed: most installations tell no browser by push. */
const app = () => import('../push/app.ts')
const push = () => import('../push/push.ts')

/** What makes the pages installable, and the page on which people switch notifications on. */
export const pushRoutes = () =>
  new Hono<WebEnv>()
    .get('/app/manifest.webmanifest', async (c) => (await app()).manifest(c))
    .get('/app/icon.svg', async (c) => (await app()).icon(c))
    .get('/app/worker.js', async (c) => (await app()).worker(c))
    .get('/push', async (c) => (await push()).showPush(c))
    .post('/push', async (c) => (await push()).addPush(c))
    .post('/push/:id/test', async (c) => (await push()).testPush(c))
    .post('/push/:id/remove', async (c) => (await push()).removePush(c))
