export type { GivenYes } from './approval/given-yes.ts'
export { type Assent, createAssent, type Forgotten, type Tidied } from './assent.ts'
export { type AssentOptions, fromModuleOptions, type ModuleOptions } from './assent-options.ts'
export type { AuditEntry } from './audit/entry.ts'
export type { AuditEvent, Head } from './audit/event.ts'
export type { Finding } from './audit/findings.ts'
export type { AuditKind, CustomAuditKind } from './audit/kinds.ts'
export type { AuditReport } from './audit/verify.ts'
export type { Clock } from './base/clock.ts'
export { AssentError, type AssentErrorCode } from './base/errors.ts'
export type { Events } from './base/events.ts'
export type { Json, JsonObject } from './base/json.ts'
export type { Access, Connections, ConnectionView, Ready } from './connection/connections.ts'
export type { Consent, Consented, Provider, Refreshed, Sending, Tokens } from './connection/provider.ts'
export type { Answered } from './elicitation/answering/answer.ts'
export type { Answerer, Answerers, Answering, Via } from './elicitation/answering/answerers.ts'
export type { Asked } from './elicitation/asking/ask.ts'
export type { Ask, AskedQuestion } from './elicitation/asking/request.ts'
export type { Channel } from './elicitation/channel.ts'
export type { ElicitationNews } from './elicitation/desk.ts'
export type {
  Answer,
  Elicitation,
  ElicitationId,
  ElicitationState,
  KeptAnswer,
  Origin,
  Purpose,
  Question,
} from './elicitation/elicitation.ts'
export { checkForm } from './elicitation/form/check.ts'
export { coerceContent } from './elicitation/form/coerce.ts'
export { type FormOnWire, formFor, type Revision } from './elicitation/form/revision.ts'
export type { Content, Field, FieldValue, FormSchema } from './elicitation/form/schema.ts'
export { type FieldError, type Validated, validateContent } from './elicitation/form/validate.ts'
export type { ElicitationLimits } from './elicitation/limits.ts'
export type { PageSettings } from './elicitation/page-settings.ts'
export { type ElicitationResult, type ElicitationStatus, statusOf } from './elicitation/result.ts'
export type { ElicitationStore } from './elicitation/store.ts'
export type { WaitOptions } from './elicitation/wait.ts'
export type { Identified, Identify, Login, Person } from './participant/identify.ts'
export { type Identity, localParticipant, type ParticipantId, participantId } from './participant/participant.ts'
export { localRequester, type Requester } from './participant/requester.ts'
export type { Store } from './stores/store.ts'
export type { KeyListing, KeyManagement, Rotated } from './vault/key-management.ts'
