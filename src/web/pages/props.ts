import type { Change } from '../../approval/question/edit.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ConnectionView } from '../../connection/connections.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import type { FieldError } from '../../elicitation/form/validate.ts'
import type { ElicitationStatus } from '../../elicitation/result.ts'
import type { Browser } from '../../participant/browser.ts'

/** What every page is given besides its own facts. Pages are pure: same props, same bytes. */
export interface Frame {
  /** Marks the page's own style and script, and no others, as allowed. */
  readonly nonce: string
  readonly look: Look
  /** Such as `en-GB`: how this person writes numbers and dates. */
  readonly locale: string
  readonly now: Date
  /** Goes into every form; empty where nothing can be posted. */
  readonly csrf: string
  /** Who looks; absent for someone we do not know. */
  readonly viewer?: { readonly name: string; readonly canSignOut: boolean }
}

/** What an installation may change about its pages. */
export interface Look {
  readonly primaryColor: string
  readonly title: string
}

/** A question as every page tells it. */
export interface AskedFacts {
  readonly server: string
  /** What the client calls itself, or what it is known by. */
  readonly client: string
  /** Whom the client acts for; absent when that is the one who looks. */
  readonly requester?: string
  /** Written by the server: a quotation, never our words. */
  readonly message: string
  /** Where the page's forms are sent. */
  readonly action: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The name that a field of a form has in what is posted: never one of ours. */
export const postedName = (field: string) => `field.${field}`
/**
 * What is posted besides fields. `answer` is accept, decline or cancel; `shown` is the identity of the question that
 * the page showed, so that a yes counts for that question only.
 */
export const posted = { answer: 'answer', csrf: 'csrf', shown: 'shown' } as const
/** Which lasting no is meant by a no; empty: none. */
export const denialField = 'denial'
/** The field of a key that connects an account. */
export const keyField = 'apiKey'

export interface FormPageProps {
  readonly asked: AskedFacts
  readonly schema: FormSchema
  /** What the person typed before, as it was posted; defaults are the page's own business. */
  readonly typed?: ReadonlyMap<string, readonly string[]>
  readonly errors: readonly FieldError[]
}

/** A page for a secret: like a form, but nothing that was typed ever comes back. */
export interface ApiKeyPageProps {
  readonly asked: AskedFacts
  readonly schema: FormSchema
  readonly labels: { readonly fieldLabel?: string; readonly placeholder?: string; readonly description?: string }
  readonly errors: readonly FieldError[]
}

export interface ConfirmPageProps {
  readonly asked: AskedFacts
  readonly labels: {
    readonly title?: string
    readonly warning?: string
    readonly confirmLabel?: string
    readonly cancelLabel?: string
    /** A page elsewhere that is to be opened first. */
    readonly link?: string
  }
}

/** A choice of an approver, and its sentence. */
export interface OfferedChoice {
  readonly value: string
  readonly words: string
}

/** A call that waits for a yes. */
export interface ApprovalPageProps {
  /** Its message is what the server wrote; empty where it wrote nothing. */
  readonly asked: AskedFacts
  /** The identity of the question, posted with the answer. */
  readonly identity: string
  readonly call: Pick<ToolCall, 'server' | 'tool' | 'title' | 'arguments'>
  readonly why: { readonly words: string; readonly rule?: number }
  readonly isDestructive: boolean
  /** Arguments that stay as they are. */
  readonly fixed: JsonObject
  /** Fields for those that may be changed; `hidden` names an argument that a field cannot show as it is. */
  readonly editable: readonly { readonly field: string; readonly hidden?: string }[]
  /** The choice, the reason and the editable arguments, without a word of the server's. */
  readonly schema: FormSchema
  readonly typed?: ReadonlyMap<string, readonly string[]>
  /** What a yes can cover, narrowest first. */
  readonly offered: readonly OfferedChoice[]
  readonly chosen: string
  /** What a no can cover besides this call. */
  readonly denials: readonly OfferedChoice[]
  readonly denial: string
  readonly reason: string
  readonly errors: readonly FieldError[]
}

/** What came of an approval that was answered. */
export interface ApprovalEnd {
  readonly effect: 'allow' | 'deny'
  readonly server: string
  readonly tool: string
  /** What lasts, as a sentence; absent where nothing does. */
  readonly words?: string
  readonly changes: readonly Change[]
  /** The lasting permission, for one who may take it back. */
  readonly grant?: { readonly href: string; readonly revokeAction: string }
}

/** Connecting an account, by consent at the provider or by a key. */
export interface ConnectPageProps {
  /** Absent when the person came by themselves. */
  readonly asked?: AskedFacts
  readonly action: string
  readonly provider: { readonly title: string; readonly host?: string }
  readonly scopes: readonly string[]
  /** For a provider that is used by a key. */
  readonly key?: { readonly fieldLabel: string; readonly placeholder?: string; readonly description?: string }
  readonly errors: readonly FieldError[]
}

/** A question that is over. */
export interface SettledPageProps {
  readonly asked?: Pick<AskedFacts, 'server' | 'client' | 'message'>
  readonly status: Exclude<ElicitationStatus, 'pending'>
  readonly purpose: 'input' | 'approval' | 'secret' | 'confirm' | 'connect'
  /** Answered by somebody before; this visit changed nothing. */
  readonly before: boolean
  readonly reason?: string
  readonly approval?: ApprovalEnd
  /** Whether the answer came from the inbox, to which the page then leads back. */
  readonly isFromInbox?: boolean
}

/** An end without a question: what happened, and what to do now. */
export interface NoticePageProps {
  readonly kind:
    | 'not-yours'
    | 'not-found'
    | 'sign-in'
    | 'enroll-first'
    | 'link-used'
    | 'form-old'
    | 'too-many'
    | 'login-failed'
    | 'connected'
    | 'connected-too-little'
    | 'connect-denied'
    | 'connect-failed'
    | 'connect-refused'
    | 'signed-out'
    | 'enrolled'
    | 'broken'
  /** Plain words that add to what the kind says. */
  readonly detail?: string
  /** Where to go on, if anywhere. */
  readonly next?: { readonly href: string; readonly label: string }
}

export interface EnrollPageProps {
  readonly action: string
  readonly browserName: string
}

export interface ConnectionsPageProps {
  readonly connections: readonly (ConnectionView & { readonly disconnectAction: string })[]
  /** Providers that could be connected. */
  readonly others: readonly { readonly title: string; readonly href: string }[]
}

export interface BrowsersPageProps {
  readonly browsers: readonly (Pick<Browser, 'id' | 'name' | 'by' | 'createdAt' | 'expiresAt'> & {
    readonly isThisOne: boolean
    readonly removeAction: string
  })[]
}

/** An argument of a call, as a row of the inbox shows it. */
export interface RowArgument {
  readonly name: string
  readonly value: string
}

/** One open question in the inbox. */
export interface InboxRow {
  readonly id: string
  readonly server: string
  readonly client: string
  /** Whom the client acts for; absent when that is the one who looks. */
  readonly requester?: string
  /** Verb and object. */
  readonly what: string
  /** One line of what it is about, cut off where the row ends. */
  readonly line: string
  /** Every argument of the call in full; then `line` is not shown. */
  readonly arguments?: readonly RowArgument[]
  /** Where a no given in the row is posted to, and a yes; absent where the row does not offer it. */
  readonly answer?: { readonly deny: string; readonly allow?: string } | undefined
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly href: string
}

export interface InboxPageProps {
  /** Most urgent first. */
  readonly rows: readonly InboxRow[]
  /** How many questions are open, also those without a row; not exact where nobody counted further. */
  readonly total: { readonly count: number; readonly isExact: boolean }
  readonly openId?: string
  /** Whether the open question was settled meanwhile. */
  readonly isOver: boolean
  /** What was just answered. */
  readonly done?: { readonly words: string; readonly href: string }
  readonly isPaused: boolean
}

export interface HistoryPageProps {
  /** Newest first. */
  readonly rows: readonly {
    readonly what: string
    readonly server: string
    readonly client: string
    /** Such as "Allowed by you". */
    readonly end: string
    readonly at: Date
    readonly href?: string
  }[]
}

export interface GrantItem {
  readonly id: string
  readonly sentence: string
  readonly standing: 'holds' | 'Ended' | 'Revoked'
  /** As the viewer calls them. */
  readonly grantedBy: string
  readonly through: 'client' | 'page'
  readonly createdAt: Date
  readonly revokeAction: string
}

export interface GrantsPageProps {
  readonly grants: readonly GrantItem[]
  /** Where older ones are, if there are any. */
  readonly older?: string
}

export interface AuditPageProps {
  /** In plain words, newest first. */
  readonly events: readonly { readonly words: string; readonly at: Date }[]
  /** What a check of the whole record found; absent where none was made. */
  readonly checked?: { readonly events: number; readonly found: number }
}
