import type { PackRule } from './pack.ts'

/** A condition on whichever of these arguments is text. */
const anyText = (names: readonly string[], pattern: string) =>
  names
    .map((name) => `(has(args.${name}) && type(args.${name}) == string && args.${name}.re2(r'${pattern}'))`)
    .join(' || ')

const readOnly = { readOnlyHint: true } as const

const paths = ['path', 'file_path', 'filename', 'source', 'destination']
/** Files that hold keys, or that programs run by themselves. */
const guardedPaths = String.raw`(^|[/\\])(\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.git[/\\]hooks)([/\\]|$)|(^|[/\\])(\.env(\.[^/\\]*)?|\.npmrc|\.netrc|\.pgpass|\.bashrc|\.zshrc|\.profile|id_[a-z0-9]+)$|^/(etc|boot|root)(/|$)`

const queries = ['query', 'sql', 'statement']
const sqlTools = ['query', 'sql', '*_query', 'query_*', 'run_sql', 'execute_sql', 'execute', 'pg_*']

const fileWriters = ['write_*', 'edit_*', 'create_directory', 'move_file', 'copy_file', 'rename_*', 'append_*']
const agentWriters = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'apply_patch']
const fileReaders = ['read_*', 'list_*', 'get_file_info', 'search_files', 'directory_tree', 'Read']

/** Packs about what tools change: files, repositories, databases, mail, money. */
export const changingPacks = {
  files: [
    {
      tool: [...fileWriters, ...agentWriters, ...fileReaders, '*delete*', '*remove*'],
      when: anyText(paths, guardedPaths),
      decide: 'ask',
      answer: 'page',
      priority: 'high',
      reason: 'Touches a file that holds keys, or that programs run by themselves.',
    },
    { tool: ['*delete*', '*remove*'], decide: 'ask', answer: 'page', reason: 'Deletes files, which cannot be undone.' },
    { tool: [...fileWriters, ...agentWriters], decide: 'ask', reason: 'Changes files.' },
    { tool: fileReaders, annotations: readOnly, decide: 'allow', reason: 'Only reads files.' },
  ],
  git: [
    {
      tool: ['git_push', 'push_*', 'update_ref'],
      when: 'has(args.force) && args.force == true',
      decide: 'deny',
      reason: 'A forced push rewrites history that others may have.',
    },
    {
      tool: ['git_status', 'git_diff*', 'git_log', 'git_show', 'git_branch', 'get_*', 'list_*', 'search_*'],
      annotations: readOnly,
      decide: 'allow',
      reason: 'Only reads the repository.',
    },
    {
      tool: ['delete_repository', 'delete_branch', 'git_reset', 'git_clean', 'git_rebase', 'transfer_repository'],
      decide: 'ask',
      answer: 'page',
      reason: 'Throws commits, branches or work in progress away.',
    },
    {
      tool: ['git_push', 'push_*', 'merge_*', 'create_release', 'create_repository', 'fork_repository'],
      decide: 'ask',
      answer: 'page',
      reason: 'Publishes work where others see it.',
    },
    {
      tool: ['git_*', 'create_*', 'update_*', 'add_*', 'delete_file'],
      decide: 'ask',
      reason: 'Changes a repository.',
    },
  ],
  database: [
    {
      tool: sqlTools,
      when: anyText(queries, String.raw`(?i)\bdrop\s+(database|schema)\b`),
      decide: 'deny',
      reason: 'Deletes a whole database.',
    },
    {
      tool: sqlTools,
      when: anyText(queries, String.raw`(?i)\b(drop|truncate|grant|revoke|alter)\b|\bdelete\s+from\s+\S+\s*(;|$)`),
      decide: 'ask',
      answer: 'page',
      priority: 'high',
      reason: 'Deletes tables or all of their rows, or changes who may use them.',
    },
    {
      tool: ['*drop*', '*delete*', '*truncate*', '*migrat*'],
      decide: 'ask',
      answer: 'page',
      reason: 'Deletes data, or changes how it is stored.',
    },
    {
      tool: ['list_*', 'describe_*', 'get_*', 'read_query'],
      annotations: readOnly,
      decide: 'allow',
      reason: 'Only reads the database.',
    },
    { tool: sqlTools, decide: 'ask', reason: 'A statement can read or change any row.' },
  ],
  mail: [
    {
      tool: ['list_*', 'search_*', 'get_*', 'read_*'],
      annotations: readOnly,
      decide: 'allow',
      reason: 'Only reads mail.',
    },
    {
      tool: ['*filter*', '*forwarding*', '*delegate*', '*mail_rule*', '*inbox_rule*'],
      decide: 'ask',
      answer: 'page',
      priority: 'high',
      reason: 'Rules that forward or hide mail go on long after this call.',
    },
    {
      tool: ['send*', 'reply*', 'forward*', '*_send', '*_reply'],
      decide: 'ask',
      answer: 'page',
      reason: 'Sends a message in your name, which cannot be taken back.',
    },
    { tool: ['*delete*', '*trash*', '*archive*'], decide: 'ask', reason: 'Removes messages.' },
    { tool: ['*draft*', 'modify_*', 'label_*', 'move_*'], decide: 'ask', reason: 'Changes your mailbox.' },
  ],
  payments: [
    {
      tool: ['list_*', 'retrieve_*', 'get_*', 'search_*'],
      annotations: readOnly,
      decide: 'allow',
      reason: 'Only reads accounts.',
    },
    {
      tool: ['*pay*', '*transfer*', '*charge*', '*refund*', '*payout*', '*withdraw*', '*invoice*', '*subscription*'],
      decide: 'ask',
      answer: 'page',
      priority: 'high',
      keepArguments: true,
      reason: 'Moves money, or promises to.',
    },
    {
      tool: ['create_*', 'update_*', 'delete_*', 'cancel_*', 'finalize_*'],
      decide: 'ask',
      answer: 'page',
      keepArguments: true,
      reason: 'Changes prices, customers or orders.',
    },
  ],
} as const satisfies Readonly<Record<string, readonly PackRule[]>>
