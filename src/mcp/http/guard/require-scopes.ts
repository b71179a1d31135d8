import {
  type AuthInfo,
  type ScopeChallengeHandler,
  requireScopes as sdkRequireScopes,
} from '@modelcontextprotocol/server'

/**
 * Lets a tool, prompt or resource be used with these scopes only, as its `scopeChallenge`: the HTTP answer is else 403
 * with every scope that a new token needs (O-04), on 2025 and 2026 alike. Without a login there are no scopes to lack.
 */
export function requireScopes(...scopes: readonly [string, ...string[]]): ScopeChallengeHandler {
  const challengeFor = sdkRequireScopes(...scopes)
  return async (context) => {
    const challenge = await challengeFor(context)
    if (challenge === undefined) return undefined
    // A token with the tool's scopes alone would not come through the door.
    const [first, ...others] = new Set([...challenge.scopes, ...scopesOfDoor(context.authInfo)])
    return { ...challenge, scopes: [first as string, ...others] }
  }
}

function scopesOfDoor(authInfo: AuthInfo | undefined): readonly string[] {
  return (authInfo?.extra?.requiredScopes as string[] | undefined) ?? []
}
