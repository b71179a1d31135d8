import type { Migration } from './step.ts'

/** The schema that the first version made: questions, audit, browsers, accounts, grants. */
export const firstVersion: readonly Migration[] = [
  {
    version: 1,
    sql: `
      create sequence assent_settling;

      create table assent_elicitation (
        seq bigserial primary key,
        id text not null unique,
        version integer not null,
        state text not null,
        requester text not null,
        participant text not null,
        type text,
        identity text not null,
        expires_at bigint not null,
        settled_at bigint,
        settled bigint,
        answered_by text,
        sealed_key text,
        question text not null,
        outcome text
      );
      -- Each index expresses "open" by its own condition, and its query by the same one. If two indexes fitted one
      -- query, a plan made while the table was small could scan the whole of the wrong one.
      create unique index assent_elicitation_identity on assent_elicitation (identity) where state = 'open';
      create index assent_elicitation_requester on assent_elicitation (requester) where settled_at is null;
      create index assent_elicitation_due on assent_elicitation (expires_at, seq) where settled is null;
      create index assent_elicitation_answered on assent_elicitation (participant, type, settled)
        where state = 'answered';
      create index assent_elicitation_settled_at on assent_elicitation (settled_at);
      create index assent_elicitation_sealed_key on assent_elicitation (sealed_key) where sealed_key is not null;

      create table assent_waiting (
        answerer text not null,
        seq bigint not null references assent_elicitation on delete cascade,
        primary key (answerer, seq)
      );
      create index assent_waiting_seq on assent_waiting (seq);

      create function assent_add(
        in_id text, in_version integer, in_state text, in_requester text, in_participant text, in_type text,
        in_identity text, in_expires_at bigint, in_question text, in_answerers text[], in_open_limit bigint
      ) returns table (added boolean, kept assent_elicitation) language plpgsql as $$
      begin
        -- Serialises the questions of one requester: two at once could both pass the limit.
        perform pg_advisory_xact_lock(hashtextextended('assent requester ' || in_requester, 0));
        loop
          added := false;
          select * into kept from assent_elicitation where identity = in_identity and state = 'open';
          if found then return next; return; end if;

          if (select count(*) from assent_elicitation where requester = in_requester and settled_at is null)
            >= in_open_limit then return; end if;

          added := true;
          insert into assent_elicitation
            (id, version, state, requester, participant, type, identity, expires_at, question)
            values (in_id, in_version, in_state, in_requester, in_participant, in_type, in_identity,
              in_expires_at, in_question)
            on conflict (identity) where state = 'open' do nothing
            returning * into kept;
          if found then
            insert into assent_waiting (answerer, seq) select distinct unnest(in_answerers), kept.seq;
            return next;
            return;
          end if;
        end loop;
      end $$;

      create table assent_audit_event (
        chain text not null,
        seq bigint not null,
        at bigint not null,
        kind text not null,
        who text,
        about text,
        data text not null,
        kept text,
        kept_digest text,
        prev text not null,
        mac text not null,
        wrote bigserial,
        primary key (chain, seq)
      );
      create index assent_audit_event_kept on assent_audit_event (who) where kept is not null;

      create table assent_audit_anchor (
        chain text primary key,
        seq bigint not null,
        mac text not null,
        anchor_mac text not null,
        began bigint not null
      );

      create table assent_pseudonym (
        participant text primary key,
        pseudonym text not null
      );

      create table assent_audit_key (
        single boolean primary key default true check (single),
        key text not null,
        box text not null
      );

      create table assent_step (
        walk text not null,
        name text not null,
        until_at bigint not null,
        sealed_key text,
        box text,
        primary key (walk, name)
      );
      create index assent_step_until on assent_step (until_at);
      create index assent_step_sealed_key on assent_step (sealed_key) where sealed_key is not null;

      create table assent_browser (
        seq bigserial primary key,
        id text not null unique,
        key text not null unique,
        participant text not null,
        expires_at bigint not null,
        details text not null
      );
      create index assent_browser_participant on assent_browser (participant);
      create index assent_browser_expires on assent_browser (expires_at);

      create table assent_connection (
        participant text not null,
        provider text not null,
        id text not null,
        version integer not null,
        sealed_key text not null,
        box text not null,
        details text not null,
        primary key (participant, provider)
      );
      create index assent_connection_sealed_key on assent_connection (sealed_key);

      create table assent_flow (
        id text primary key,
        participant text not null,
        expires_at bigint not null,
        sealed_key text not null,
        box text not null,
        details text not null
      );
      create index assent_flow_expires on assent_flow (expires_at);

      create table assent_grant (
        seq bigserial primary key,
        id text not null unique,
        version integer not null,
        uses text not null,
        participant text not null,
        server text not null,
        tool text,
        requester text,
        call text,
        spent_at bigint,
        revoked_at bigint,
        expires_at bigint,
        over_at bigint,
        granted_by text not null,
        revoked_by text,
        terms text not null
      );
      create index assent_grant_for on assent_grant (participant, server, tool)
        where requester is null and revoked_at is null;
      create index assent_grant_once on assent_grant (requester, call)
        where requester is not null and spent_at is null and revoked_at is null;
      create index assent_grant_list on assent_grant (participant, seq) where uses = 'many';
      create index assent_grant_over on assent_grant (over_at) where over_at is not null;
    `,
  },
]
