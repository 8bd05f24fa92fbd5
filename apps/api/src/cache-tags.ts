/** Returns the cache tag of a project. Its flows, its integrations and the API keys bound to it share this tag. */
export const projectTag = (projectId: string): string => `project:${projectId}`

/** Returns the cache tag of a user's API keys. */
export const userTag = (userId: string): string => `user:${userId}`
