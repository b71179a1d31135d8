import { AssentError } from '../base/errors.ts'
import type { ContextElicitation, Run } from './run.ts'

/** A handler wanted to ask, and nobody verified who sent its request. */
export class SenderUnknown extends AssentError {
  readonly code = 'bad_argument'
  constructor() {
    super(
      'It is not known who sent this request, so nobody can be asked. ' +
        'Put a guard that sets request.user in front of the MCP route.',
    )
  }
}

/** The run of a request that nobody verified. Whatever needs a person throws. */
export class UnidentifiedRun implements Run {
  thrown: SenderUnknown | undefined
  readonly elicitation: ContextElicitation

  constructor() {
    const refuse = async () => this.#refuse()
    const refuseNow = () => this.#refuse()
    this.elicitation = {
      createUrl: refuse,
      throwRequired: refuseNow,
      isSupported: () => false,
      getResult: refuse,
      findByUserAndType: refuse,
      elicitForm: refuse,
      account: refuseNow,
      ask: {
        form: refuse,
        url: refuse,
        secret: refuse,
        connection: refuse,
        confirm: refuse,
        approval: refuse,
        once: refuse,
      },
    }
  }

  async approved(): Promise<never> {
    return this.#refuse()
  }

  async connect(): Promise<never> {
    return this.#refuse()
  }

  #refuse(): never {
    this.thrown = new SenderUnknown()
    throw this.thrown
  }
}
