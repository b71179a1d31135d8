import type { Channel } from '../../elicitation/channel.ts'
import type { Config } from '../config/config.ts'

/** The channels that the settings name. Each is loaded only where it is written. */
export async function channelsFrom({ channels }: Pick<Config, 'channels'>): Promise<Channel[]> {
  if (channels.length === 0) return []
  const { webhookChannel } = await import('../../channels/webhook/webhook-channel.ts')
  return channels.map(({ webhook }) => webhookChannel({ name: `webhook ${new URL(webhook.url).origin}`, ...webhook }))
}
