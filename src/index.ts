export type { Approval, ApprovalRefused, Approved, Approving } from './approval/approval.ts'
export type { Approvals } from './approval/approvals.ts'
export type { BegunCall } from './approval/approve.ts'
export type { GivenAs, Grant, GrantId, GrantUses, Spent } from './approval/grant/grant.ts'
export type { Verdict } from './approval/grant/keep-grant.ts'
export { BadPolicy, type PolicyPath, type PolicyProblem } from './approval/policy/bad-policy.ts'
export type { Hints } from './approval/policy/hints.ts'
export type { PolicyDefaults } from './approval/policy/parse-policy.ts'
export type {
  Condition,
  Decision,
  Effect,
  Fallback,
  Holds,
  Policy,
  ReadyRule,
  RequesterName,
  Rule,
  Why,
} from './approval/policy/policy.ts'
export type { PolicySettings, RuleSettings } from './approval/policy/policy-settings.ts'
export { readPolicy } from './approval/policy/read-policy.ts'
export type { Choice, Reach } from './approval/question/choices.ts'
export type { Change } from './approval/question/edit.ts'
export type { GivenYes } from './approval/question/subject.ts'
export type { Started } from './approval/start.ts'
export type { GrantStore } from './approval/store.ts'
export { definitionDigest, serverDefinitionDigest, type ToolCall, type ToolDefinition } from './approval/tool-call.ts'
export { type Assent, createAssent } from './assent.ts'
export { type AssentOptions, fromModuleOptions, type ModuleOptions } from './assent-options.ts'
export type { AuditEntry } from './audit/entry.ts'
export type { Anchor, AuditEvent, ChainId, Head, KeptInFull, Pseudonym } from './audit/event.ts'
export type { AuditProblem, Finding } from './audit/findings.ts'
export type { AuditKind, CustomAuditKind } from './audit/kinds.ts'
export type { AuditStore } from './audit/store.ts'
export type { AuditReport } from './audit/verify.ts'
export type { Clock } from './base/clock.ts'
export type { Duration } from './base/durations.ts'
export { AssentError, type AssentErrorCode } from './base/errors.ts'
export type { Events } from './base/events.ts'
export type { Json, JsonObject } from './base/json.ts'
export type { Sealed, Vault } from './base/seal.ts'
export type { Claimed, FinishedStep, StepKey, StepStore } from './call/step.ts'
export type { Connection } from './connection/connection.ts'
export type {
  Access,
  AccountChanged,
  Completed,
  ConnectBegun,
  Connections,
  ConnectionView,
  ConnectRequest,
  KeyKept,
  Ready,
  ReturnFromProvider,
} from './connection/connections.ts'
export type { Credential } from './connection/credential/credential.ts'
export type { Flow } from './connection/flow/flow.ts'
export type {
  Consent,
  Consented,
  ConsentRequest,
  ConsentSecrets,
  Provider,
  Refreshed,
  Sending,
  Tokens,
} from './connection/provider.ts'
export type { ConnectionStore } from './connection/store.ts'
export type { AnswerRules } from './elicitation/answering/answer.ts'
export type { Answered } from './elicitation/answering/answered.ts'
export type { Answerer, Answerers, Answering, Proof, Via } from './elicitation/answering/answerers.ts'
export type { Asked } from './elicitation/asking/ask.ts'
export type { Ask, AskedQuestion } from './elicitation/asking/request.ts'
export type { Channel, LinkTo } from './elicitation/channel.ts'
export type { CarriedAnswered, CarriedAsked, ElicitationNews } from './elicitation/desk.ts'
export type {
  Answer,
  AnsweredBy,
  ConnectTo,
  Elicitation,
  ElicitationId,
  ElicitationState,
  KeptAnswer,
  Origin,
  Purpose,
  Question,
} from './elicitation/elicitation.ts'
export { checkForm } from './elicitation/form/check.ts'
export type { CoerceOptions, FieldTexts } from './elicitation/form/coerce.ts'
export { coerceContent } from './elicitation/form/coerce.ts'
export type { FormLimits } from './elicitation/form/limits.ts'
export { type FormOnWire, formFor, type Revision } from './elicitation/form/revision.ts'
export type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  Content,
  Field,
  FieldValue,
  FormSchema,
  NumberField,
  TextField,
  TextFormat,
  TitledOption,
} from './elicitation/form/schema.ts'
export { type FieldError, type Validated, validateContent } from './elicitation/form/validate.ts'
export type { ElicitationLimits } from './elicitation/limits.ts'
export type { PageSettings } from './elicitation/page-settings.ts'
export { type ElicitationResult, type ElicitationStatus, statusOf } from './elicitation/result.ts'
export type {
  Added,
  Changes,
  ElicitationStore,
  OpenLimits,
  OpenOfRequester,
  OpenRequesters,
} from './elicitation/store.ts'
export type { WaitOptions } from './elicitation/wait.ts'
export type { ClientAuthentication } from './oauth/remote-server.ts'
export type { PresetName } from './oauth/settings/presets.ts'
export type {
  KeyProviderSettings,
  OAuthProviderSettings,
  PresetProviderSettings,
  ProviderSettings,
} from './oauth/settings/provider-settings.ts'
export type { Browser, BrowserStore } from './participant/browser.ts'
export type { Identified, Identify, Login, PageLogin, Person, SignedIn, SigningIn } from './participant/identify.ts'
export { type Identity, localParticipant, type ParticipantId, participantId } from './participant/participant.ts'
export { localRequester, type Requester } from './participant/requester.ts'
export type { Store } from './stores/store.ts'
export { type StoreClock, systemStoreClock } from './stores/store-clock.ts'
export type { Forgotten, Tidied } from './upkeep.ts'
export type { KeyListing, KeyManagement, Rotated } from './vault/key-management.ts'
export type { Resealed, ResealFailure, Resealing } from './vault/reseal.ts'
