import type { Priority } from '../../elicitation/elicitation.ts'
import type { ApprovalPageProps } from './props.ts'

/** An argument of a call, as a row of the inbox shows it. */
export interface RowArgument {
  readonly name: string
  readonly value: string
}

/** One open question in the inbox. */
export interface InboxRow {
  readonly id: string
  readonly server: string
  /** Who asks, as in `AskedFacts`. */
  readonly asker: string
  /** The person for whom the client acts; absent when that is the viewer. */
  readonly requester?: string
  /** What the answer would do, as verb and object. */
  readonly what: string
  /** What it is about, on one line. The row shows its beginning, and says how much is left out. */
  readonly line: string
  /** Every argument of the call in full; then `line` is not shown. */
  readonly arguments?: readonly RowArgument[]
  /** Where a no given in the row is posted to, and a yes; absent where the row does not offer it. */
  readonly answer?: { readonly deny: string; readonly allow?: string } | undefined
  /** A yes must be signed with a passkey, on the question's page. */
  readonly needsPasskey?: boolean
  /** Absent for a normal one. */
  readonly priority?: Exclude<Priority, 'normal'>
  /** How it stands where several people decide, for this viewer. */
  readonly standing?: readonly string[]
  /** As in `AskedFacts`. */
  readonly left?: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly href: string
}

/** The questions of one client, newest first. */
export interface InboxGroup {
  /** Who asks, as in `AskedFacts`. */
  readonly asker: string
  /** The person for whom the client acts; absent when that is the viewer. */
  readonly requester?: string
  readonly rows: readonly InboxRow[]
  /** How many of its questions are open, and where all are listed; absent where this list has them. */
  readonly all?: { readonly count: number; readonly href: string }
}

export interface InboxPageProps {
  /** The client that asked last first. */
  readonly groups: readonly InboxGroup[]
  /** How many questions are open, also those on other pages. */
  readonly total: number
  /** The first page of the inbox has the newest questions of every client; the others have what it leaves out. */
  readonly isFirst: boolean
  /** The next page, if there is one. */
  readonly older?: string
  /** The address of this list, without an opened question. */
  readonly here: string
  readonly openId?: string
  /** Whether the opened question was settled meanwhile. */
  readonly isOver: boolean
  /** What became of the questions that were just answered. */
  readonly done?: readonly { readonly words: string; readonly href: string }[]
  /** Whether questions are selected, to answer several together. */
  readonly isSelecting?: boolean
  /** The address of this list for selecting; absent where there is nothing to select. */
  readonly selectHref?: string
  readonly isPaused: boolean
  /** What an approver must know about whom a yes in a row covers. */
  readonly note?: string
}

/** One of several questions that are answered together. */
export interface SeveralItem {
  readonly id: string
  readonly approval: ApprovalPageProps
  /** Why a yes leaves it out; absent: it does not. */
  readonly leftOut?: string
  /** The page on which it can be answered on its own. */
  readonly href: string
}

/** Several approvals, each in full, that are answered together. */
export interface SeveralPageProps {
  readonly items: readonly SeveralItem[]
  /** What was selected and is not shown, each with the reason. */
  readonly missing: readonly string[]
  readonly action: string
}

export interface HistoryPageProps {
  /** Newest first. */
  readonly rows: readonly {
    readonly what: string
    readonly server: string
    readonly asker: string
    /** Such as "Allowed by you". */
    readonly end: string
    readonly at: Date
    readonly href?: string
  }[]
}
