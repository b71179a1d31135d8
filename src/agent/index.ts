export { type Incoming, NotInSpace, type SpaceConnectionOptions } from './connection.ts'
export type { AnswerQuestions, AskedInSpace } from './elicitation.ts'
export {
  type JoinedSpace,
  joinSpace,
  type PresenceChange,
  type SpaceParticipant,
  type SpaceTool,
} from './join-space.ts'
export { type Pending, RequestFailed, type RequestOptions } from './requests.ts'
export type { AgentToolOptions, ServedTools, ServeToolsOptions } from './serve.ts'
export type { AgentToolSource, AskPerson, Calling, ToolDescription } from './tools/source.ts'
