/** Where the demo's agents meet, and their tokens there. */
export interface DemoSpace {
  readonly url: string
  readonly tokenA: string
  readonly tokenB: string
}

/** The variables by which the agents learn of the space. No server gets variables whose names begin with ASSENT_. */
const variables = { url: 'DEMO_SPACE', tokenA: 'DEMO_AGENT_A_TOKEN', tokenB: 'DEMO_AGENT_B_TOKEN' } as const

export const agentsCommand = 'demo-agents'

/** The hidden command that serves the tools of the demo. */
export const toolsCommand = 'demo-tools'

export function demoSpaceEnv({ url, tokenA, tokenB }: DemoSpace): Record<string, string> {
  return { [variables.url]: url, [variables.tokenA]: tokenA, [variables.tokenB]: tokenB }
}

export function demoSpaceIn(env: NodeJS.ProcessEnv): DemoSpace {
  const { [variables.url]: url = '', [variables.tokenA]: tokenA = '', [variables.tokenB]: tokenB = '' } = env
  return { url, tokenA, tokenB }
}
