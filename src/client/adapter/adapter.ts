/** Options of one request. */
export interface AdapterRequestOptions {
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal
  /** Receives the progress that the server reports. */
  readonly onProgress?: (progress: {
    progress: number
    total?: number | undefined
    message?: string | undefined
  }) => void
}

/** What elicitation needs of an SDK client, of any version. */
export interface ClientAdapter {
  /**
   * Declares the elicitation modes and handles questions that come during a request. Called before the client connects.
   */
  onElicit(answer: (params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>): void
  onComplete(listener: (elicitationId: unknown) => void): void
  /** Sends a request and returns its result unchanged, also one that asks for input. It has no timeout of its own. */
  request(
    method: string,
    params: Record<string, unknown>,
    options: AdapterRequestOptions,
  ): Promise<Record<string, unknown>>
  /** Whether the server answers `elicitation/track`. */
  canTrack(): boolean
}

/** The longest timeout, so that only our own clocks decide: the SDK's timeout would count a person's time too. */
export const noTimeout = 2 ** 31 - 1
