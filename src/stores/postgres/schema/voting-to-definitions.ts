import type { Migration } from './step.ts'

/** Steps 5 to 8: votes, instances and their mail, counts of what happened, definitions of tools. */
export const votingToDefinitions: readonly Migration[] = [
  {
    version: 5,
    sql: `
      alter table assent_elicitation
        add column urgency integer not null default 2, add column escalates_at bigint, add column voting text;
      create index assent_elicitation_escalates on assent_elicitation (escalates_at, seq) where escalates_at is not null;

      -- Beside assent_add_within, which processes of the version before call.
      create function assent_add_voting(
        in_id text, in_version integer, in_state text, in_requester text, in_participant text, in_type text,
        in_identity text, in_expires_at bigint, in_question text, in_answerers text[],
        in_requester_limit bigint, in_participant_limit bigint, in_urgency integer, in_escalates_at bigint
      ) returns table (added boolean, full_of text, kept assent_elicitation) language plpgsql as $$
      begin
        -- Serialises the questions of one participant: two at once could both pass the limit.
        perform pg_advisory_xact_lock(hashtextextended('assent participant ' || in_participant, 0));
        loop
          added := false;
          select * into kept from assent_elicitation where identity = in_identity and state = 'open';
          if found then return next; return; end if;

          if (select count(*) from assent_elicitation where requester = in_requester and settled_at is null)
            >= in_requester_limit then full_of := 'requester'; return next; return; end if;
          if (select count(*) from assent_elicitation where participant = in_participant and state || '' = 'open')
            >= in_participant_limit then full_of := 'participant'; return next; return; end if;

          added := true;
          insert into assent_elicitation
            (id, version, state, requester, participant, type, identity, expires_at, question, urgency, escalates_at)
            values (in_id, in_version, in_state, in_requester, in_participant, in_type, in_identity,
              in_expires_at, in_question, in_urgency, in_escalates_at)
            on conflict (identity) where state = 'open' do nothing
            returning * into kept;
          if found then
            insert into assent_waiting (answerer, seq) select distinct unnest(in_answerers), kept.seq;
            return next;
            return;
          end if;
        end loop;
      end $$;
    `,
  },
  {
    version: 6,
    sql: `
      create table assent_instance (
        id text primary key,
        started_at bigint not null,
        seen_at bigint not null,
        ahead_ms bigint not null,
        stopping smallint not null
      );
      create table assent_mail (
        seq bigint generated always as identity primary key,
        id text not null,
        recipient text not null,
        at bigint not null,
        sealed_key text not null,
        box text not null
      );
      create index assent_mail_recipient on assent_mail (recipient, seq);
      create table assent_session (
        session text primary key,
        revoked smallint not null,
        level text,
        stream text,
        expires_at bigint not null
      );
      create index assent_session_expires on assent_session (expires_at);
    `,
  },
  {
    version: 7,
    sql: `
      create table assent_rollup (
        period text collate "C" not null,
        kind text collate "C" not null,
        from_at bigint not null,
        server text collate "C" not null,
        name text collate "C" not null,
        outcome text collate "C" not null,
        count bigint not null,
        primary key (period, kind, from_at, server, name, outcome)
      );
    `,
  },
  {
    version: 8,
    sql: `
      create table assent_registration (
        issuer text not null,
        resource text not null,
        client_id text not null,
        version bigint not null,
        sealed_key text not null,
        box text not null,
        details text not null,
        primary key (issuer, resource)
      );
      create table assent_definition (
        server text not null,
        tool text not null,
        version bigint not null,
        details text not null,
        primary key (server, tool)
      );
    `,
  },
]
