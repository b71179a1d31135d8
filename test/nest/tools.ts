import { Ctx, Payload } from '@nestjs/microservices'
import { type McpContext, McpController, Prompt, Resource, Tool } from '@rekog/mcp-nest'
import { z } from 'zod'
import {
  type Account,
  Ask,
  type Asks,
  ConnectedAccount,
  RequireApproval,
  RequireConnection,
} from '../../src/nest/index.ts'

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

/** Every way to ask that the module has. */
@McpController()
export class AskingTools {
  @Tool({ name: 'plain', description: 'Asks nothing', parameters: z.object({ name: z.string() }) })
  plain(@Payload() { name }: { name: string }, @Ctx() context: McpContext) {
    return text(`hello ${name}, ${context.elicitation === undefined ? 'no module' : 'module'}`)
  }

  /** The tool of the Quick Start, but for the user: the original takes the id that the client sends in `_meta`. */
  @Tool({ name: 'connect-service', description: 'Connect to a service', parameters: z.object({ service: z.string() }) })
  async connectService(@Payload() { service }: { service: string }, @Ctx() context: McpContext) {
    if (!context.elicitation) return text('Elicitation not configured')
    const userId = (context.getRawRequest() as { user?: { sub: string } } | undefined)?.user?.sub
    const existing = await context.elicitation.findByUserAndType(userId, `api-key-${service}`)
    if (existing?.success && existing.data?.apiKey) return text(`Connected to ${service}`)
    if (!context.elicitation.isSupported()) return text('URL elicitation not supported by client')
    const message = `Please enter your ${service} API key`
    const { elicitationId, url } = await context.elicitation.createUrl({
      message,
      path: 'api-key',
      metadata: { type: `api-key-${service}`, service, fieldLabel: `${service} API Key` },
    })
    return context.elicitation.throwRequired([{ mode: 'url', message, url, elicitationId }])
  }

  /** Looks for the key of whoever the client says, as the Quick Start did with `_meta.userId`. */
  @Tool({ name: 'key-of', description: 'Looks for a key', parameters: z.object({ user: z.string() }) })
  async keyOf(@Payload() { user }: { user: string }, @Ctx() context: McpContext) {
    const found = await context.elicitation?.findByUserAndType(user, 'api-key-stripe')
    return text(found === undefined ? 'not found' : 'found')
  }

  @Tool({ name: 'order', description: 'Asks by a form', parameters: z.object({}) })
  async order(@Ask() ask: Asks) {
    const { size } = await ask.form('Which size?', z.object({ size: z.enum(['small', 'large']) }))
    return text(`ordered ${size}`)
  }

  @Tool({ name: 'keep', description: 'Asks for a secret', parameters: z.object({}) })
  async keep(@Ask() ask: Asks) {
    const key = await ask.secret('Which key?', { fieldLabel: 'Key', type: 'api-key-kept' })
    return text(`kept …${key.slice(-4)}`)
  }

  @Tool({ name: 'form', description: 'Asks by elicitForm', parameters: z.object({}) })
  async form(@Ctx() context: McpContext) {
    const answer = await context.elicitation?.elicitForm({
      message: 'Your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    })
    return text(JSON.stringify(answer))
  }

  @RequireApproval()
  @Tool({ name: 'delete', description: 'Deletes', parameters: z.object({ what: z.string().min(3) }) })
  delete(@Payload() { what }: { what: string }) {
    return text(`deleted ${what}`)
  }

  @RequireApproval({ message: 'Really send it?', answer: 'page' })
  @Tool({ name: 'send', description: 'Sends', parameters: z.object({}) })
  send() {
    return text('sent')
  }

  @RequireConnection('stripe', { message: 'Connect Stripe, please.' })
  @Tool({ name: 'pay', description: 'Pays', parameters: z.object({}) })
  pay(@ConnectedAccount('stripe') account: Account) {
    return text(`paid with …${account.accessToken.slice(-4)}`)
  }

  @Prompt({ name: 'brief', description: 'A prompt that asks' })
  async brief(@Ask() ask: Asks) {
    const { topic } = await ask.form('Which topic?', z.object({ topic: z.string() }))
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `About ${topic}` } }] }
  }

  @Resource({ uri: 'notes://mine', name: 'notes', description: 'A resource that asks' })
  async notes(@Payload() { uri }: { uri: string }, @Ctx() context: McpContext) {
    await context.elicitation?.ask.confirm('Read your notes?')
    return { contents: [{ uri, text: 'my notes' }] }
  }
}
