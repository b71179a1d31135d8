/** What one request may be told. */
export interface LegOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: {
    progress: number
    total?: number | undefined
    message?: string | undefined
  }) => void
}

/** A client of the SDK, whichever version, as far as asking needs it. */
export interface ClientLeg {
  /** Declares the modes and answers what the server asks while a request is under way. Before the client connects. */
  onElicit(answer: (params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>): void
  onComplete(heard: (elicitationId: unknown) => void): void
  /** Sends a request and gives back its result as it came, also one that asks for input. Human time is not its time-out. */
  request(method: string, params: Record<string, unknown>, options: LegOptions): Promise<Record<string, unknown>>
  /** Whether the server answers `elicitation/track`. */
  canTrack(): boolean
}

/** So long that our own clocks decide: the SDK's cannot tell a person's time from the tool's. */
export const noTimeout = 2 ** 31 - 1
