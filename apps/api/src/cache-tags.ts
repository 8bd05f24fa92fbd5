/** The cache tag of a project: of itself, its flows, its integrations and the keys that are bound to it. */
export const projectTag = (projectId: string): string => `project:${projectId}`

/** The cache tag of a user's API keys. */
export const userTag = (userId: string): string => `user:${userId}`
