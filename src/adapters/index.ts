export type { AgentAnswer, AgentQuestion } from './ask-person.ts'
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
