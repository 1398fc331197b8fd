/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ServicePlugin;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import static io.dayu.conf.Setting.Daemon.DATANODE;
import static io.dayu.conf.Setting.Daemon.NAMENODE;

/**
 * The settings of both daemons: those of Dayu, and those of HDFS that name plugins or replace what Dayu works with. No
 * state.
 */
final class SettingsCheck {
  static final String NAMENODE_PLUGIN = "io.dayu.namenode.DayuNameNodePlugin";
  static final String DATANODE_PLUGIN = "io.dayu.datanode.DayuDataNodePlugin";
  private static final String NAMENODE_PLUGINS = "dfs.namenode.plugins";
  private static final String DATANODE_PLUGINS = "dfs.datanode.plugins";
  /** Settings of HDFS by which others replace a part that Dayu works with, by daemon. */
  private static final List<String> NAMENODE_PARTS =
      List.of("dfs.block.replicator.classname", "dfs.block.placement.ec.classname");
  private static final List<String> DATANODE_PARTS = List.of("dfs.datanode.fsdataset.factory");

  private SettingsCheck() {
  }

  /** The daemons whose plugins the settings name, be it by a wrong name; both, if they name none yet. */
  static Set<Setting.Daemon> daemons(Configuration conf) {
    Set<Setting.Daemon> named = EnumSet.noneOf(Setting.Daemon.class);
    if (plugins(conf, NAMENODE_PLUGINS).stream().anyMatch(SettingsCheck::isMeantAsOurs)) {
      named.add(NAMENODE);
    }
    if (plugins(conf, DATANODE_PLUGINS).stream().anyMatch(SettingsCheck::isMeantAsOurs)) {
      named.add(DATANODE);
    }
    return named.isEmpty() ? EnumSet.of(NAMENODE, DATANODE) : named;
  }

  /** Whether the name is that of a plugin of Dayu, or was to be one. */
  private static boolean isMeantAsOurs(String name) {
    return name.toLowerCase(Locale.ROOT).contains("dayu");
  }

  /** @param daemons that are to run here */
  static void run(Configuration conf, Set<Setting.Daemon> daemons, Findings found) {
    Settings.warnings(conf).forEach(found::fault);
    try {
      Settings.read(conf);
    } catch (BadSettingException e) {
      e.faults().forEach(found::fault);
    }
    keysOfTheOther(conf, found);
    if (daemons.contains(NAMENODE)) {
      plugins(conf, NAMENODE_PLUGINS, NAMENODE, found);
      NAMENODE_PARTS.forEach(key -> part(conf, key, found));
    }
    if (daemons.contains(DATANODE)) {
      plugins(conf, DATANODE_PLUGINS, DATANODE, found);
      DATANODE_PARTS.forEach(key -> part(conf, key, found));
    }
  }

  /** A file that is for one kind of daemon has nothing from the settings of the other. */
  private static void keysOfTheOther(Configuration conf, Findings found) {
    Set<Setting.Daemon> named = daemons(conf);
    if (named.size() != 1) {
      return;
    }
    Setting.Daemon here = named.iterator().next();
    for (Setting setting : Setting.values()) {
      if (setting.daemon() != Setting.Daemon.BOTH && setting.daemon() != here && conf.get(setting.key()) != null) {
        found.fault("setting " + setting.key() + " is of the " + setting.daemon()
            + ", but these settings name the plugin of the " + here + " only, which does not read it");
      }
    }
  }

  /** As the daemon reads them: a name that is there twice is two. */
  private static List<String> plugins(Configuration conf, String key) {
    return List.of(conf.getTrimmedStrings(key));
  }

  private static void plugins(Configuration conf, String key, Setting.Daemon daemon, Findings found) {
    List<String> classes = plugins(conf, key);
    String ours = daemon == NAMENODE ? NAMENODE_PLUGIN : DATANODE_PLUGIN;
    String other = daemon == NAMENODE ? DATANODE_PLUGIN : NAMENODE_PLUGIN;
    if (classes.contains(other)) {
      found.fault("setting " + key + " names " + other + ", which is for the other kind of daemon");
    }
    if (Collections.frequency(classes, ours) > 1) {
      found.fault("setting " + key + " names " + ours + " twice");
    }
    for (String name : classes) {
      if (name.isEmpty()) {
        found.fault("setting " + key + " has an empty name between two commas: the daemon does not start with it");
      } else if (!name.equals(other)) {
        plugin(conf, key, name, daemon, ours, found);
      }
    }
  }

  private static void plugin(Configuration conf, String key, String name, Setting.Daemon daemon, String ours,
      Findings found) {
    if (!name.equals(ours) && isMeantAsOurs(name) && conf.getClassByNameOrNull(name) == null) {
      found.fault("setting " + key + " = '" + conf.get(key).trim() + "'" + origin(conf, key) + " is not valid: the "
          + "class " + name + " cannot be found, and the " + daemon + " does not start with it; Dayu's plugin for a "
          + daemon + " is " + ours);
      return;
    }
    Class<?> type = loaded(conf, name, "setting " + key, found);
    if (type != null && !ServicePlugin.class.isAssignableFrom(type)) {
      found.fault("setting " + key + " names " + name + ", which is no " + ServicePlugin.class.getName()
          + ": the daemon does not start with it");
    } else if (type != null && !name.equals(ours)) {
      found.note(key + " has a plugin of others, which Dayu was not tried with: " + name);
    }
  }

  /** The file that has the setting, for people; empty if it is not known. */
  private static String origin(Configuration conf, String key) {
    String[] sources = conf.getPropertySources(key);
    return sources == null || sources.length == 0 ? "" : " (" + sources[sources.length - 1] + ")";
  }

  private static void part(Configuration conf, String key, Findings found) {
    String name = conf.getTrimmed(key, "");
    boolean isHadoops = name.startsWith("org.apache.hadoop.hdfs.server.");
    if (!name.isEmpty() && loaded(conf, name, "setting " + key, found) != null && !isHadoops) {
      found.note(key + " has a class of others, which Dayu was not tried with: " + name);
    }
  }

  /** The class; null, and a fault, if it cannot be loaded, since the daemon does not start then. */
  private static Class<?> loaded(Configuration conf, String name, String where, Findings found) {
    try {
      return conf.getClassByName(name);
    } catch (ClassNotFoundException e) {
      found.fault(where + " names " + name + ", which is not on the class path of hdfs dayu; if it is not on the "
          + "daemon's either, the daemon does not start");
    } catch (LinkageError e) {
      found.fault(where + " names " + name + ", which cannot be loaded: " + LinkageFault.text(e)
          + "; if that is so for the daemon, too, it does not start");
    }
    return null;
  }
}
