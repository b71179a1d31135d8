import { pages } from '../../../server.ts'

const handler = (request: Request) => pages.fetch(request)

export { handler as GET, handler as POST }
