export { type AiGuard, aiSdkTools } from './ai-sdk.ts'
export { withAiSdkPages } from './ai-sdk-pages.ts'
export type { AgentAnswer, AgentQuestion } from './ask-person.ts'
export { type ClaudeGuard, claudeOptions } from './claude.ts'
export { type OpenAiGuard, openAiTools } from './openai-agents.ts'
export {
  type AllowedCall,
  type AskedCall,
  createToolGate,
  type DeniedCall,
  type GateCallOptions,
  type PendingCall,
  type RanCall,
  type ToolGate,
  type ToolGateOptions,
  type WantedCall,
} from './tool-gate.ts'
