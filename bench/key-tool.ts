import { z } from 'zod'

/** The tool that both contenders serve: it asks for a key on a page, and returns it. */
export const info = { name: 'bench', version: '1.0.0' }
export const text = { inputSchema: z.object({ text: z.string() }) }
export const message = 'Enter your API key'
export const say = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
