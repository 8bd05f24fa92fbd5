const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Escapes text for use as the content of an HTML element or as a quoted attribute value. Not safe for unquoted attribute
 * values. Source: OWASP Cross Site Scripting Prevention Cheat Sheet, "Output Encoding for HTML Contexts".
 */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
