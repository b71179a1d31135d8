export { visibleText } from '../base/text/visible-text.ts'
export type { ClientLeg, LegOptions } from './leg/leg.ts'
export { type JudgedUrl, judgeUrl, type UrlWarning } from './page/url-safety.ts'
export { CallRefused } from './refused.ts'
export { terminalUi } from './terminal/terminal-ui.ts'
export { ToolTimedOut } from './tool-clock.ts'
export type { Asker, ElicitationUi, FormReply, FormRequest, RefusedPage, UrlRequest, WaitRequest } from './ui.ts'
export {
  type CallOptions,
  type ElicitationOptions,
  type ElicitingClient,
  elicitingClient,
  withElicitation,
} from './with-elicitation.ts'
