import { everybody, everyServer, type Grant, type GrantId } from '../../approval/grant/grant.ts'
import type { GrantStore } from '../../approval/store.ts'
import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import type { ParticipantId } from '../../participant/participant.ts'

/** Stores grants in memory. */
export function memoryGrants(): GrantStore {
  // In the order in which they were added.
  const kept = new Map<GrantId, Grant>()

  const all = () => [...kept.values()]
  const standing = () => all().filter(({ revoked }) => revoked === undefined)

  function listFor(participant: ParticipantId, server: string, tool: string): Grant[] {
    return standing().filter(
      (grant) =>
        isLasting(grant) &&
        (isForEverybody(grant) ||
          (grant.participant === participant &&
            grant.server === server &&
            (grant.tool === undefined || grant.tool === tool))),
    )
  }

  function page(limit: number, after: GrantId | undefined, isWanted: (grant: Grant) => boolean): Grant[] {
    const newest = all().reverse()
    // An unknown id gives -1, and so the first page.
    const last = newest.findIndex(({ id }) => id === after)
    return newest
      .slice(last + 1)
      .filter((grant) => isLasting(grant) && isWanted(grant))
      .slice(0, limit)
  }

  function removeAll(grants: readonly Grant[]): number {
    for (const { id } of grants) kept.delete(id)
    return grants.length
  }

  return {
    async add(grant) {
      if (kept.has(grant.id)) return false
      kept.set(grant.id, grant)
      return true
    },
    async get(id) {
      return kept.get(id)
    },
    async saveIfUnchanged(next) {
      const before = kept.get(next.id)
      if (before?.version !== next.version - 1) return false
      kept.set(next.id, withNamesOf(before, next))
      return true
    },
    async listFor(participant, server, tool) {
      return listFor(participant, server, tool)
    },
    listForAtOnce: listFor,
    async listOnce(requester, call) {
      return standing().filter(
        ({ uses }) =>
          uses.kind === 'once' && uses.requester === requester && uses.call === call && uses.spent === undefined,
      )
    },
    async list(participant, limit, after) {
      return page(limit, after, (grant) => grant.participant === participant)
    },
    async listAll(limit, after) {
      return page(limit, after, () => true)
    },
    async deleteOver(moment, limit) {
      return removeAll(
        all()
          .filter((grant) => endsOf(grant).some((end) => end < moment))
          .slice(0, limit),
      )
    },
    async forget(participant) {
      const deleted = removeAll(all().filter((grant) => grant.participant === participant))
      for (const grant of all()) kept.set(grant.id, withoutName(grant, participant))
      return deleted
    },
  }
}

const isLasting = ({ uses }: Grant) => uses.kind === 'many'

const isForEverybody = ({ participant, server }: Grant) => participant === everybody && server === everyServer

function endsOf({ uses, revoked, expiresAt }: Grant): Date[] {
  const spentAt = uses.kind === 'once' ? uses.spent?.at : undefined
  return [spentAt, revoked?.at, expiresAt].filter((end) => end !== undefined)
}

/** A save must not restore a name that was forgotten meanwhile. */
function withNamesOf({ grantedBy, revoked }: Grant, next: Grant): Grant {
  const names = { ...next, grantedBy }
  return next.revoked && revoked ? { ...names, revoked: { ...next.revoked, by: revoked.by } } : names
}

function withoutName(grant: Grant, participant: ParticipantId): Grant {
  const forgotten = (name: ParticipantId) => (name === participant ? forgottenParticipant : name)
  const { grantedBy, revoked } = grant
  return {
    ...grant,
    grantedBy: forgotten(grantedBy),
    ...(revoked ? { revoked: { ...revoked, by: forgotten(revoked.by) } } : {}),
  }
}
