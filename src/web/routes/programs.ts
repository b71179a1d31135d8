import { Hono } from 'hono'
import type { WebContext, WebEnv } from '../site.ts'

/** Loaded where they are needed: most installations let no program take part. */
const api = () => import('../api/serve.ts')
const tokens = () => import('../api/tokens.ts')

/** Programs read JSON, and no page. */
export async function noSuchApi(c: WebContext): Promise<Response | undefined> {
  return c.req.path.startsWith('/api/') ? (await api()).noSuchAddress(c) : undefined
}

/** What programs use that act for people, and the page on which people let them. */
export const programsRoutes = () =>
  new Hono<WebEnv>()
    .get('/api/openapi.json', async (c) => (await api()).describeApi(c))
    .get('/api/status', async (c) => (await api()).status(c))
    .get('/api/questions', async (c) => (await api()).listQuestions(c))
    .get('/api/questions/:id', async (c) => (await api()).oneQuestion(c))
    .post('/api/questions/:id/answer', async (c) => (await api()).answerOne(c))
    .get('/tokens', async (c) => (await tokens()).showTokens(c))
    .post('/tokens', async (c) => (await tokens()).makeToken(c))
    .post('/tokens/:id/revoke', async (c: WebContext) => (await tokens()).revokeToken(c))
