"""The memory server's 51 tools, its profiles and its ways to an unloaded tool, as the phrasing page has them."""

from typing import Final

from server.tools.meta.session import RecoveryPath
from server.tools.meta.surface import Naming, Profile, Surface

NAMING: Final = Naming("memory", "memory_")

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "core": (
        "memory_store",
        "memory_recall",
        "memory_list",
        "memory_get",
        "memory_search",
        "memory_load_family",
        "memory_smart_load",
    ),
    "lifecycle": (
        "memory_update",
        "memory_delete",
        "memory_forget",
        "memory_gc",
        "memory_promote",
    ),
    "graph": (
        "memory_kg_query",
        "memory_kg_timeline",
        "memory_kg_invalidate",
        "memory_link",
        "memory_get_links",
        "memory_entity_register",
        "memory_entity_get_by_alias",
        "memory_get_taxonomy",
        "memory_replay",
        "memory_verify",
        "memory_find_paths",
    ),
    "governance": (
        "memory_pending_list",
        "memory_pending_approve",
        "memory_pending_reject",
        "memory_namespace_set_standard",
        "memory_namespace_get_standard",
        "memory_namespace_clear_standard",
        "memory_subscribe",
        "memory_unsubscribe",
    ),
    "power": (
        "memory_consolidate",
        "memory_detect_contradiction",
        "memory_check_duplicate",
        "memory_auto_tag",
        "memory_expand_query",
        "memory_inbox",
        "memory_subscription_replay",
        "memory_subscription_dlq_list",
        "memory_quota_status",
    ),
    "meta": (
        "memory_capabilities",
        "memory_agent_register",
        "memory_agent_list",
        "memory_session_start",
        "memory_stats",
    ),
    "archive": (
        "memory_archive_list",
        "memory_archive_purge",
        "memory_archive_restore",
        "memory_archive_stats",
    ),
    "other": (
        "memory_list_subscriptions",
        "memory_notify",
    ),
}

SURFACE: Final = Surface.from_json({"families": FAMILIES, "alwaysOn": ["memory_capabilities"], "noun": "memory"})

PROFILES: Final = {
    profile.label: profile
    for profile in (
        Profile("core", ("core",)),
        Profile("graph", ("core", "graph")),
        Profile("admin", ("core", "lifecycle", "governance")),
        Profile("power", ("core", "power")),
        Profile("full", tuple(FAMILIES)),
    )
}

RESTART: Final = RecoveryPath("restart the server with --profile <family> or --profile full", "restart")
LOAD: Final = RecoveryPath("call memory_load_family(family=<name>) — preferred", "load")
SMART_LOAD: Final = RecoveryPath("call memory_smart_load(intent='<plain language>') — easiest", "load")
CALL: Final = RecoveryPath("call the tool by name and recover from JSON-RPC -32601", "call")
RECOVERY: Final = (RESTART, LOAD, SMART_LOAD, CALL)
