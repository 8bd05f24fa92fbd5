/** Returns the cache tag for a project with its flows, its integrations and the API keys bound to it. */
export const projectTag = (projectId: string): string => `project:${projectId}`

/** Returns the cache tag of a user's API keys. */
export const userTag = (userId: string): string => `user:${userId}`
