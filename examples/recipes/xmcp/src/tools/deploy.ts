import { acceptedContent, type InferSchema, inputRequired, type ToolExtraArguments, type ToolMetadata } from 'xmcp'
import { z } from 'zod'

export const schema = { env: z.string() }
export const metadata: ToolMetadata = { name: 'deploy', description: 'Deploys a change' }

const form = inputRequired.elicit({
  message: 'Which change ticket?',
  requestedSchema: { type: 'object', properties: { ticket: { type: 'string' } }, required: ['ticket'] },
})

export default function deploy({ env }: InferSchema<typeof schema>, extra: ToolExtraArguments) {
  const given = acceptedContent<{ ticket: string }>(extra.inputResponses as never, 'form')
  if (given === undefined) return inputRequired({ inputRequests: { form } })
  return `Deployed ${given.ticket} to ${env}`
}
