export type { WebhookMessage } from './message.ts'
export { deliveryHeader, signatureHeader, type Verifying, verifyWebhook } from './sign.ts'
export { type WebhookOptions, webhookChannel } from './webhook-channel.ts'
