export { visibleText } from '../base/text/visible-text.ts'
export type { AdapterRequestOptions, ClientAdapter } from './adapter/adapter.ts'
export { CallRefused } from './call-refused.ts'
export { type CheckedUrl, checkPageUrl, type UrlWarning } from './page/url-safety.ts'
export { terminalUi } from './terminal/terminal-ui.ts'
export { ToolTimedOut } from './tool-clock.ts'
export type { Asker, ElicitationUi, FormReply, FormRequest, RefusedPage, UrlRequest, WaitRequest } from './ui.ts'
export {
  type ElicitationOptions,
  type ElicitingCallOptions,
  type ElicitingClient,
  elicitingClient,
  withElicitation,
} from './with-elicitation.ts'
