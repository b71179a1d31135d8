export type { WebhookMessage } from './message.ts'
export { deliveryHeader, signatureHeader, type VerifyOptions, verifyWebhook } from './sign.ts'
export { type WebhookOptions, webhookChannel } from './webhook-channel.ts'
