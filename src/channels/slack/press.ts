import { createHmac, timingSafeEqual } from 'node:crypto'
import { isPlainObject } from '../../base/json.ts'
import type { ReceivedMessage } from '../../elicitation/channel.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import { type PressedChoice, pressedChoices } from './blocks.ts'

/** Somebody pressed a button of ours. */
export interface Press {
  readonly choice: PressedChoice
  readonly id: ElicitationId
  /** The Slack user, as Slack says. */
  readonly user: string
  readonly team: string
  /** The conversation of the message. */
  readonly channel: string
}

/** Slack's own limit: an older message may be a copy of one that was sent before. */
const toleranceS = 300

/** Whether Slack signed this message, now. */
export function isFromSlack({ headers, body }: ReceivedMessage, signingSecret: string, now: Date): boolean {
  const time = headers.get('x-slack-request-timestamp') ?? ''
  const [, hex] = /^v0=([0-9a-f]{64})$/.exec(headers.get('x-slack-signature') ?? '') ?? []
  if (signingSecret === '' || hex === undefined || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(now.getTime() / 1_000 - Number(time)) > toleranceS) return false
  const expected = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest()
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'))
}

/** The press of a button that answers something; undefined: any other message, such as a press of a link. */
export function readPress(body: string): Press | undefined {
  const payload = parsed(new URLSearchParams(body).get('payload') ?? '')
  if (!isPlainObject(payload) || payload.type !== 'block_actions') return undefined
  const action = Array.isArray(payload.actions) && payload.actions.length === 1 ? payload.actions[0] : undefined
  const choice = pressedChoices.find((one) => one === textIn(action, 'action_id'))
  const id = textIn(action, 'value')
  const [user, team, channel] = [payload.user, payload.team, payload.channel].map((one) => textIn(one, 'id'))
  if (choice === undefined || !/^[\w-]{1,64}$/.test(id) || !user || !team || !channel) return undefined
  return { choice, id: id as ElicitationId, user, team, channel }
}

function textIn(value: unknown, name: string): string {
  const text = isPlainObject(value) ? value[name] : undefined
  return typeof text === 'string' ? text : ''
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
