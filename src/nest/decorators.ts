import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common'
import { MCP_TOOL_METADATA_KEY } from '@rekog/mcp-nest'
import { from, lastValueFrom, type Observable, switchMap } from 'rxjs'
import type { ConnectionOptions } from '../asking/account.ts'
import type { ApprovalOptions } from '../asking/approval/tool-call.ts'
import type { JsonObject } from '../base/json.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { requiredRun } from './context.ts'

/** Options of `@RequireApproval`. */
export interface RequireApprovalOptions extends ApprovalOptions {
  /** What the approver is asked. With it every call is asked about; without it, policy decides. */
  readonly message?: string
}

const contextOf = (execution: ExecutionContext): unknown => execution.switchToRpc().getContext()

/** A parameter of a handler: asks its person in straight-line code, as `ask` of `assent/server` does. */
export const AskParameter = createParamDecorator(
  (_: unknown, execution: ExecutionContext) => requiredRun(contextOf(execution), '@Ask()').elicitation.ask,
)

/** A parameter of a handler: the account that `@RequireConnection` has brought. */
export const ConnectedAccount = createParamDecorator((provider: string, execution: ExecutionContext) =>
  requiredRun(contextOf(execution), '@ConnectedAccount()').elicitation.account(provider),
)

/** The handler runs only with the requester's account at a provider, which they are asked to connect where it is missing. */
export function RequireConnection(provider: string, options: ConnectionOptions = {}): MethodDecorator & ClassDecorator {
  return applyDecorators(
    UseInterceptors(
      new BeforeHandler(async (execution, next) => {
        await requiredRun(contextOf(execution), '@RequireConnection()').connect(provider, options)
        return next.handle()
      }),
    ),
  )
}

/**
 * A call of the tool runs only if it is allowed: by the module's policy, which asks a person about everything unless it
 * says otherwise, or with `message` by a person in any case. It comes after guards, and before pipes and the handler.
 */
export function RequireApproval(options: RequireApprovalOptions = {}): MethodDecorator & ClassDecorator {
  const { message, ...approval } = options
  const decided = message === undefined ? undefined : { ...approval, message }
  return applyDecorators(
    UseInterceptors(
      new BeforeHandler(async (execution, next) => {
        const run = requiredRun(contextOf(execution), '@RequireApproval()')
        const result = await run.approved(decided, async (edited) => {
          if (edited !== undefined) execution.getArgs()[0] = await readEdited(execution, edited)
          return lastValueFrom(next.handle(), { defaultValue: undefined })
        })
        return from([result])
      }),
    ),
  )
}

interface StandardSchema {
  readonly '~standard': {
    validate(value: unknown): Validated | Promise<Validated>
  }
}

type Validated =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** Reads what an approver edited with the tool's own schema: it must still be what the handler takes. */
async function readEdited(execution: ExecutionContext, edited: JsonObject): Promise<unknown> {
  const { parameters = {} } = Reflect.getMetadata(MCP_TOOL_METADATA_KEY, execution.getHandler()) ?? {}
  // A plain JSON Schema was checked when the approver answered.
  if (!('~standard' in parameters)) return edited
  const read = await (parameters as StandardSchema)['~standard'].validate(edited)
  if (read.issues === undefined) return read.value
  const problem = read.issues.map(({ message }) => message).join(' ')
  const message = `The approver changed the arguments, and the tool does not accept them: ${problem}`
  throw new AskRefused('failed', message, 'edits-refused')
}

type Around = (execution: ExecutionContext, next: CallHandler) => Promise<Observable<unknown>>

class BeforeHandler implements NestInterceptor {
  readonly #around: Around

  constructor(around: Around) {
    this.#around = around
  }

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.#around(execution, next)).pipe(switchMap((result) => result))
  }
}
