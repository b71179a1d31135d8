import type { Change } from '../../approval/question/edit.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ConnectionView } from '../../connection/connections.ts'
import type { Proof } from '../../elicitation/answering/answerers.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import type { FieldError } from '../../elicitation/form/validate.ts'
import type { ElicitationStatus } from '../../elicitation/result.ts'
import type { Browser } from '../../participant/browser.ts'
import type { Passkey } from '../../passkey/passkey.ts'

/** What every page gets besides its own props. Pages are pure functions: the same props give the same bytes. */
export interface Frame {
  /** The nonce of the page's own style and script; the content security policy allows no others. */
  readonly nonce: string
  readonly look: Look
  /** The locale of numbers and dates, such as `en-GB`. */
  readonly locale: string
  readonly now: Date
  /** The token for every form; empty where nothing can be posted. */
  readonly csrf: string
  /** The person who is signed in; absent for an unknown browser. */
  readonly viewer?: {
    readonly name: string
    readonly canSignOut: boolean
    /** May open the console. */
    readonly isAdmin?: boolean
  }
  /** The path of the page, which the navigation marks. */
  readonly path?: string
}

/** How an installation's pages look. */
export interface Look {
  readonly primaryColor: string
  readonly title: string
}

/** What every page of a question says about it. */
export interface AskedFacts {
  readonly server: string
  /** What to call the client in passing: its own name, else its id. */
  readonly client: string
  /** Who asks: the same, or "a program that calls itself Claude Code" where no login verified the client. */
  readonly asker: string
  /** The person for whom the client acts; absent when that is the viewer. */
  readonly requester?: string
  /** Written by the server, and shown as a quotation. */
  readonly message: string
  /** Where the page's forms are posted to. */
  readonly action: string
  /** What to say of a question whose asker is not there any more. */
  readonly left?: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The posted name of a form field. The prefix keeps it apart from the names that Assent posts itself. */
export const postedName = (field: string) => `field.${field}`
/**
 * What is posted besides fields. `answer` is accept, decline or cancel; `shown` is the identity of the question that
 * the page showed, so that a yes counts for that question only.
 */
export const posted = {
  answer: 'answer',
  csrf: 'csrf',
  shown: 'shown',
  /** What a passkey signed or made, and the ceremony in which. */
  ceremony: 'ceremony',
  assertion: 'assertion',
  /** What an existing passkey signed, to let in another. */
  confirmation: 'confirmation',
  confirmedBy: 'confirmedBy',
  /** The id of a question, where several are answered together. */
  question: 'q',
} as const
/** The posted name of what was shown of one of several questions. */
export const shownOf = (id: string) => `${posted.shown}.${id}`
/** What a no covers besides this call; empty for nothing. */
export const denialField = 'denial'
/** The name of the field for a key that connects an account. */
export const keyField = 'apiKey'

export interface FormPageProps {
  readonly asked: AskedFacts
  readonly schema: FormSchema
  /** What the person typed before, as it was posted; absent at first, when the page shows the defaults. */
  readonly typed?: ReadonlyMap<string, readonly string[]>
  readonly errors: readonly FieldError[]
}

/** A form for a secret. Nothing that was typed into it is ever shown again. */
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
    /** A page at another site to open first. */
    readonly link?: string
  }
}

/** What an approver may choose, as a value and as a sentence. */
export interface OfferedChoice {
  readonly value: string
  readonly words: string
}

/** A call that waits for approval. */
export interface ApprovalPageProps {
  /** Its message is what the server wrote; empty where it wrote nothing. */
  readonly asked: AskedFacts
  /** Tells what the page shows apart from what it showed before an edit; posted with the answer. */
  readonly shown: string
  readonly call: Pick<ToolCall, 'server' | 'tool' | 'title' | 'arguments'>
  /** There where a yes must be signed. */
  readonly passkey?: PasskeyNeed
  readonly why: { readonly words: string; readonly rule?: number }
  /** The commands in a shell command, where it can be taken apart. */
  readonly commands?: readonly string[]
  /** What the server shows of the call, or why it shows nothing. */
  readonly preview?: PreviewProps
  readonly isDestructive: boolean
  /** Arguments that cannot be edited. */
  readonly fixed: JsonObject
  /** Fields for those that can; `asked` is there where the value is also shown as it was asked for. */
  readonly editable: readonly EditableField[]
  /** The choice, the reason and the editable arguments, without the server's titles. */
  readonly schema: FormSchema
  readonly typed?: ReadonlyMap<string, readonly string[]>
  /** What a yes can cover, narrowest first. */
  readonly offered: readonly OfferedChoice[]
  readonly chosen: string
  /** What the approver must know about whom a yes covers; absent where the choices say it all. */
  readonly note?: string
  /** What a no can cover besides this call. */
  readonly denials: readonly OfferedChoice[]
  readonly denial: string
  readonly reason: string
  /** How it stands with several people; absent where one person decides it. */
  readonly voting?: VotingProps
  readonly errors: readonly FieldError[]
}

/** The result of another tool, which a rule wants shown. */
export interface PreviewProps {
  readonly tool: string
  readonly text?: string
  readonly leftOut?: number
  readonly problem?: string
  /** Of which arguments it is, where that could be mistaken. */
  readonly note?: string
}

/** A yes must be signed with a passkey: whether this person can, and where they make one. */
export interface PasskeyNeed {
  /** Where the script gets what to sign. */
  readonly signAction: string
  readonly canSign: boolean
  readonly makeHref: string
  /** Why no passkey can be used here at all. */
  readonly problem?: string
}

/** Votes, delegations and escalations of an approval, for one viewer. */
export interface VotingProps {
  readonly lines: readonly string[]
  /** The version of the question that this shows. */
  readonly version: string
  /** Why the viewer has nothing to answer now; absent: they have. */
  readonly done?: string
  /** Absent where it cannot be handed on. */
  readonly delegate?: { readonly typed: string; readonly suggested: readonly SuggestedName[] }
}

/** Somebody to whom a question can be handed on. */
export interface SuggestedName {
  readonly name: string
  readonly words: string
}

/** A field for an argument, and the argument's name if a field alone would not show all of its value. */
export interface EditableField {
  readonly field: string
  readonly asked?: { readonly name: string; readonly isHidden: boolean }
}

/** How an approval was answered. */
export interface ApprovalEnd {
  readonly effect: 'allow' | 'deny'
  readonly server: string
  readonly tool: string
  /** What the answer covers beyond this call, as a sentence; absent where it covers nothing more. */
  readonly words?: string
  readonly changes: readonly Change[]
  /** The grant that was made, for a viewer who may revoke it. */
  readonly grant?: { readonly href: string; readonly revokeAction: string }
}

/** Connecting an account, by consent at the provider or by a key. */
export interface ConnectPageProps {
  /** Absent when the person opened the page without being asked. */
  readonly asked?: AskedFacts
  readonly action: string
  readonly provider: { readonly title: string; readonly host?: string }
  readonly scopes: readonly string[]
  /** For a provider that takes a key instead of consent. */
  readonly key?: { readonly fieldLabel: string; readonly placeholder?: string; readonly description?: string }
  readonly errors: readonly FieldError[]
}

/** A settled question. */
export interface SettledPageProps {
  readonly asked?: Pick<AskedFacts, 'server' | 'client' | 'message'>
  readonly status: Exclude<ElicitationStatus, 'pending'>
  readonly purpose: 'input' | 'approval' | 'secret' | 'confirm' | 'connect'
  /** It was settled before this request, which changed nothing. */
  readonly before: boolean
  readonly reason?: string
  readonly approval?: ApprovalEnd
  /** Whether the answer came from the inbox, to which the page then leads back. */
  readonly isFromInbox?: boolean
}

/** A page that says what happened and what to do now. */
export interface NoticePageProps {
  readonly kind:
    | 'not-yours'
    | 'not-found'
    | 'sign-in'
    | 'enroll-first'
    | 'link-used'
    | 'phone-link-used'
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
  /** A sentence that adds to what the kind says. */
  readonly detail?: string
  /** The next page to open, if there is one. */
  readonly next?: { readonly href: string; readonly label: string }
}

export interface EnrollPageProps {
  readonly action: string
  readonly browserName: string
}

export interface ConnectionsPageProps {
  readonly connections: readonly (ConnectionView & { readonly disconnectAction: string })[]
  /** Providers that are not connected yet. */
  readonly others: readonly { readonly title: string; readonly href: string }[]
}

export interface BrowsersPageProps {
  /** This browser is signed in, and can sign in a phone. */
  readonly mayLetPhoneIn: boolean
  readonly browsers: readonly (Pick<Browser, 'id' | 'name' | 'by' | 'createdAt' | 'expiresAt'> & {
    readonly isThisOne: boolean
    readonly removeAction: string
  })[]
}

export interface PasskeyItem extends Pick<Passkey, 'id' | 'name' | 'kind' | 'createdAt' | 'usedAt'> {
  readonly renameAction: string
  readonly signAction: string
  readonly revokeAction: string
}

export interface PasskeysPageProps {
  readonly passkeys: readonly PasskeyItem[]
  readonly addAction: string
  /** Where the script gets what a new passkey is made with. */
  readonly addOptions: string
  readonly suggestedName: string
  /** Why no passkeys can be made here. */
  readonly problem?: string
  /** Why what was sent was not accepted. */
  readonly refused?: string
  readonly done?: 'added' | 'renamed' | 'revoked'
  /** The question that the person came from. */
  readonly next?: string
}

export interface GrantItem {
  readonly id: string
  readonly sentence: string
  readonly standing: 'holds' | 'Ended' | 'Revoked'
  /** The person's name, or "you". */
  readonly grantedBy: string
  readonly through: Proof
  readonly createdAt: Date
  readonly revokeAction: string
}

export interface GrantsPageProps {
  readonly grants: readonly GrantItem[]
  /** The address of the next page of older grants. */
  readonly older?: string
}

export interface AuditPageProps {
  /** As sentences, newest first. */
  readonly events: readonly { readonly words: string; readonly at: Date }[]
  /** The result of verifying the whole audit; absent where it was not verified. */
  readonly checked?: { readonly events: number; readonly found: number }
}
