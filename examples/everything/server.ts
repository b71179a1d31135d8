import type { McpServer, ServerNotifier } from '@modelcontextprotocol/server'
import type { AssentServer } from 'assent/server'
import { addAnswers } from './answers.ts'
import { addChanges } from './changes.ts'
import { addForms } from './forms.ts'
import { addModelQuestions } from './model-questions.ts'
import { addNews } from './news.ts'
import { addPages } from './pages.ts'
import { addPrompts } from './prompts.ts'
import { addResources } from './resources.ts'
import { addSchemas } from './schemas.ts'

/**
 * A server that has one of everything MCP knows. Names that begin with `test_` are those that the official conformance
 * suite looks for. Each topic is a file of its own; start with `forms.ts`.
 */
export function everythingServer(asking: AssentServer, notify?: ServerNotifier): McpServer {
  const server = asking.server({ name: 'everything', version: '1.0.0' }, { capabilities: { logging: {} } })
  addForms(server, asking)
  addPages(server, asking)
  addModelQuestions(server)
  addPrompts(server, asking)
  addResources(server, asking)
  addAnswers(server)
  addNews(server)
  addChanges(server, notify)
  addSchemas(server)
  return server
}
