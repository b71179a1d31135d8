/**
 * The doors between the rooms of src/ (ARCHITECTURE.md has the map). Change the table when the design changes,
 * never go around it.
 */

/** Imports go one way, from the outside in: a room may import every room further down. */
const walk = [
  ['cli'],
  ['gateway', 'hub', 'nest', 'adapters', 'hooks'],
  ['server', 'client', 'web'],
  ['asking'],
  ['mcp'],
  ['call', 'rollup'],
  ['approval', 'connection', 'definition', 'passkey'],
  ['elicitation'],
  ['participant', 'audit', 'instance'],
  ['base'],
]

/** The rooms that hold the product's own words. */
const inner = below('mcp')
/** The inner rooms declare what others implement. */
const declaring = inner
/** They implement what inner rooms declare, and do not know each other. */
const implementing = ['stores', 'vault', 'oauth', 'channels']

/** Which rooms each room may import, besides itself. A folder that is not named here may not exist. */
const doors = {
  ...Object.fromEntries(walk.flat().map((room) => [room, below(room)])),
  audit: ['participant', 'base'],
  // Gateway and web meet in the store and in cli; the gateway asks as the library does, and is not built on it.
  gateway: below('gateway').filter((room) => room !== 'web' && room !== 'server'),
  // A hook is no MCP: a coding agent asks before it runs a tool of its own.
  hooks: below('mcp'),
  web: below('web').filter((room) => room !== 'asking'),
  client: below('client').filter((room) => room !== 'asking'),
  cli: [...below('cli'), ...implementing, 'agent', 'observe', 'telemetry', 'assent'],
  nest: [...below('nest'), ...implementing, 'observe', 'assent'],
  // What agents use: the wire of the hub, and an Assent of their own.
  agent: [...below('hub'), 'hub', 'assent'],

  ...Object.fromEntries(implementing.map((room) => [room, declaring])),
  observe: ['base'],
  // Sends what happens elsewhere. Loaded only where the settings say so.
  telemetry: declaring,

  assent: [...inner, ...implementing, 'observe'],
  index: [...inner, ...implementing, 'observe', 'assent'],
  testing: [...walk.flat(), ...implementing, 'agent', 'observe', 'assent', 'index'],
}

/** Rooms of which only the types may be known. */
const typeDoors = { observe: inner, telemetry: ['asking', 'gateway'], stores: ['hub'] }

/** Foreign languages, and the one place where each is spoken. */
const speakers = {
  pg: 'src/stores/postgres/',
  '@redis/client': 'src/stores/redis/',
  libsql: 'src/stores/sqlite/',
  'node:sqlite': 'src/stores/sqlite/',
  commander: 'src/cli/',
  yaml: 'src/cli/',
  hono: 'src/web/',
  '@nestjs/common': 'src/nest/',
  '@nestjs/core': 'src/nest/',
  '@rekog/mcp-nest': 'src/nest/',
  rxjs: 'src/nest/',
  'openid-client': 'src/oauth/',
  oauth4webapi: 'src/oauth/',
  '@simplewebauthn': 'src/passkey/',
  nodemailer: 'src/channels/mail/',
  uqr: 'src/web/pages/phone/',
  '@marcbachmann/cel-js': 'src/approval/',
}

/** @param {string} room */
function below(room) {
  return walk.slice(walk.findIndex((layer) => layer.includes(room)) + 1).flat()
}

/** Rooms that are files. */
const files = { index: 'index\\.ts$', assent: '(assent(-options)?|upkeep)\\.ts$' }
/** @param {string[]} rooms */
const pathOf = (rooms) => `^src/(${rooms.map((room) => files[room] ?? `${room}/`).join('|')})`

const doorRules = Object.entries(doors).map(([room, others]) => ({
  name: `door-of-${room}`,
  comment: `${room} may import ${others.length > 0 ? others.join(', ') : 'no other room'}.`,
  severity: 'error',
  from: { path: pathOf([room]) },
  to: {
    path: '^src/',
    pathNot: pathOf([room, ...others]),
    ...(typeDoors[room] && { dependencyTypesNot: ['type-only'] }),
  },
}))

const typeDoorRules = Object.entries(typeDoors).map(([room, others]) => ({
  name: `type-door-of-${room}`,
  comment: `${room} may know the types of ${others.join(', ')}.`,
  severity: 'error',
  from: { path: pathOf([room]) },
  to: { path: '^src/', pathNot: pathOf([room, ...doors[room], ...others]) },
}))

const speakerRules = Object.entries(speakers).map(([language, place]) => ({
  name: `only-${place.slice('src/'.length, -1).replace('/', '-')}-speaks-${language.replace(':', '-')}`,
  comment: `${language} is imported in ${place} only.`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^${place}` },
  to: {
    path: language.startsWith('node:')
      ? `^(node:)?${language.slice('node:'.length)}$`
      : `^(node_modules/)?(@types/)?${language}(/|$)`,
  },
}))

const npmPackages = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown']

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-unknown-room',
      comment: 'A new room needs a line in the table of doors.',
      severity: 'error',
      from: { path: '^src/', pathNot: pathOf(Object.keys(doors)) },
      to: {},
    },
    {
      name: 'no-unknown-room-alone',
      comment: 'A new room needs a line in the table of doors, also while nothing leads to it.',
      severity: 'error',
      from: { path: '^src/', pathNot: pathOf(Object.keys(doors)), orphan: true },
      to: {},
    },
    ...doorRules,
    ...typeDoorRules,
    ...speakerRules,
    {
      name: 'base-imports-node-only',
      severity: 'error',
      from: { path: '^src/base/' },
      to: { dependencyTypes: npmPackages },
    },
    {
      name: 'nothing-from-outside-src',
      comment: 'What is published must not need what is not.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|examples|scripts)/' },
    },
    {
      name: 'no-dev-dependency',
      comment: 'Users do not have it. Optional peers are also development dependencies, and fine.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer', 'npm-optional'] },
    },
    {
      name: 'no-unknown-package',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        // An optional peer is found a second time under peerDependenciesMeta, where it counts as no package.
        dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional', 'npm-dev'],
      },
    },
    { name: 'no-broken-import', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    {
      name: 'no-circle',
      comment: 'Imports of types count too.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-circle-of-rooms',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { circular: true, via: { pathNot: '^src/$1/' } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    // Node 20 does not know it yet.
    builtInModules: { add: ['node:sqlite'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
