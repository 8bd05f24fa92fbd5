/** Returns the cache tag of a project. It covers the project, its flows, its integrations and the keys bound to it. */
export const projectTag = (projectId: string): string => `project:${projectId}`

/** Returns the cache tag of a user's API keys. */
export const userTag = (userId: string): string => `user:${userId}`
